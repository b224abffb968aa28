// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Roles: which threads run what, and with how many registers.

#include "passes/lower/wgmma/Lowerings.h"
#include "passes/lower/wgmma/SharedTiles.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mixattn;

namespace {

class RoleEmitter : public WarpgroupEmitter {
public:
  RoleEmitter(Location loc, RewriterBase &rewriter)
      : WarpgroupEmitter(loc, rewriter), rewriter(rewriter) {}

  void emit(tile::WgmmaRolesOp op);

private:
  void setRegisters(int64_t count, NVVM::SetMaxRegisterAction action) {
    NVVM::SetMaxRegisterOp::create(b, count, action);
  }
  /// Moves what is in `role` to where the builder stands.
  void moveHere(Region &role) {
    rewriter.inlineBlockBefore(&role.front(), b.getInsertionBlock(),
                               b.getInsertionPoint());
  }

  RewriterBase &rewriter;
};

} // namespace

void RoleEmitter::emit(tile::WgmmaRolesOp op) {
  Value isProducer = b.createOrFold<arith::CmpIOp>(
      arith::CmpIPredicate::eq, warpgroup(), number(op.getConsumers()));
  auto choice = scf::IfOp::create(b, isProducer, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(choice.thenBlock());
  setRegisters(op.getProducerRegisters(), NVVM::SetMaxRegisterAction::decrease);
  Value isFirst = at.compare(arith::CmpIPredicate::eq, thread(),
                             int64_t(op.getConsumers()) * warpgroupThreads);
  onlyIf(isFirst, [&] { moveHere(op.getProducer()); });
  b.setInsertionPointToStart(choice.elseBlock());
  setRegisters(op.getConsumerRegisters(), NVVM::SetMaxRegisterAction::increase);
  moveHere(op.getConsumer());
}

void mixattn::lower(RewriterBase &rewriter, tile::WgmmaRolesOp op) {
  RoleEmitter(op.getLoc(), rewriter).emit(op);
  rewriter.eraseOp(op);
}
