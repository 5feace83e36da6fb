/** The acts on what buyers have agreed to: payment methods that they have saved, and subscriptions. */
import { cancelForMerchant, revokeForMerchant } from '../../operator/acts/agreements.ts'
import { shopFact, textFact } from '../../operator/approvals/facts.ts'
import { findSubscriptionById } from '../../storage/payments/subscriptions.ts'
import { findSavedMethodById } from '../../storage/saved-methods/saved-methods.ts'
import { type AnyRow, act } from '../act.ts'
import { text } from '../input.ts'

export const revoke = act('saved-method revoke', {
  savedMethod: text({ placeholder: 'ID', max: 120 }),
})({
  place: 'deployment',
  blames: 'savedMethod',
  shows: {
    async savedMethod({ ctx, args: { savedMethod } }) {
      const found = await findSavedMethodById(ctx.db, savedMethod)
      const before = found && { word: `method_${found.status}` as const }
      return [
        ...(await shopFact(ctx, found?.merchantId)),
        ...textFact('savedMethod', savedMethod),
        { name: 'state', after: { word: 'method_revoked' }, before },
      ]
    },
  },
  run: (ctx, { savedMethod }, { name }) => revokeForMerchant(ctx, savedMethod, name),
  async result(_ctx, revoked) {
    const { operation, token } = revoked
    const facts = { ...revoked, operationId: operation.id }
    return { facts, textValues: { status: token.status } }
  },
  tells: ['operationId'],
  helpExamples: ['--saved-method pmt_01...'],
  examples: async (scene) => [{ savedMethod: await scene.savedMethod() }],
})

export const cancel = act('subscription cancel', {
  subscriptionId: text({ flag: 'subscription', placeholder: 'ID' }),
})({
  shows: {
    async subscriptionId({ ctx, args: { subscriptionId } }) {
      const found = await findSubscriptionById(ctx.db, subscriptionId)
      return [
        ...(await shopFact(ctx, found?.merchantId)),
        ...textFact('subscription', subscriptionId),
        ...textFact('state', 'cancelled', found?.status),
      ]
    },
  },
  run: (ctx, { subscriptionId }, { name }) => cancelForMerchant(ctx, subscriptionId, name),
  result: async (_ctx, cancelled) => ({ facts: { ...cancelled } }),
  helpExamples: ['--subscription sub_01...', '--subscription sub_01... --dry-run'],
  examples: async (scene) => [{ subscriptionId: await scene.subscription() }],
})

export const AGREEMENT_ACTS: readonly AnyRow[] = [revoke, cancel]
