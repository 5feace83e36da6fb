/** The act on a case of the desk that moves nothing. Its page asks for it. */
import { textFact } from '../../operator/approvals/facts.ts'
import { settleRefusal, settleWarnings } from '../../operator/desk/desk.ts'
import { type AnyRow, act } from '../act.ts'
import { optionalText, text } from '../input.ts'

export const settle = act('desk settle', {
  paymentId: optionalText({ flag: 'payment', placeholder: 'ID' }),
  tokenId: optionalText({ flag: 'token', placeholder: 'ID' }),
  why: text({ placeholder: 'TEXT' }),
})({
  place: null,
  current: async () => ({}),
  wrong: ({ paymentId, tokenId }) =>
    (paymentId === undefined) === (tokenId === undefined) ? 'paymentId' : null,
  shows: {
    paymentId: ({ args }) => textFact('payment', args.paymentId),
    tokenId: ({ args }) => textFact('token', args.tokenId),
    why: ({ args }) => textFact('why', args.why),
  },
  async run(ctx, { paymentId = '', tokenId, why }, { name: by }) {
    if (tokenId === undefined)
      return { paymentId, settled: await settleWarnings(ctx, paymentId, { by, why, dryRun: false }) }
    const { calls } = await settleRefusal(ctx, tokenId, { by, why })
    return { tokenId, calls }
  },
  async result(_ctx, done) {
    const lines = 'settled' in done ? done.settled.join('\n') : ''
    return { facts: { ...done }, said: { lines, calls: 'calls' in done ? String(done.calls) : 'none' } }
  },
  helpExamples: [
    '--payment pay_01... --why "the bank has returned it"',
    '--token tok_01... --why "the shop returns a whole order"',
  ],
  examples: async ({ warned, refusedToken }) => [
    { paymentId: await warned(), why: 'the bank has returned it' },
    { tokenId: await refusedToken(), why: 'the shop returns a whole order' },
  ],
})

export const DESK_ACTS: readonly AnyRow[] = [settle]
