/** The acts on payment methods that buyers have saved. */
import { revokeForMerchant } from '../operator/acts/agreements.ts'
import { textFact } from '../operator/approvals/facts.ts'
import { findSavedMethodById } from '../storage/saved-methods/saved-methods.ts'
import { type AnyRow, act } from './act.ts'
import { text } from './input.ts'

export const revoke = act('saved-method revoke', {
  savedMethod: text({ placeholder: 'ID', max: 120 }),
})({
  place: 'deployment',
  current: async () => ({}),
  blames: 'savedMethod',
  shows: {
    async savedMethod({ ctx, args: { savedMethod } }) {
      const found = await findSavedMethodById(ctx.db, savedMethod)
      return textFact('savedMethod', `${savedMethod} ${found?.status ?? ''}`)
    },
  },
  run: (ctx, { savedMethod }, { name }) => revokeForMerchant(ctx, savedMethod, name),
  async result(_ctx, revoked) {
    const { operation, token } = revoked
    return { facts: { ...revoked }, said: { status: token.status, operationId: operation.id } }
  },
  helpExamples: ['--saved-method pmt_01...'],
  examples: async (scene) => [{ savedMethod: await scene.savedMethod() }],
})

export const SAVED_METHOD_ACTS: readonly AnyRow[] = [revoke]
