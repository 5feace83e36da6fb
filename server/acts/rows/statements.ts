/** The acts on statements of providers and banks that are compared with the books. Their pages ask for them. */
import { textFact } from '../../operator/approvals/facts.ts'
import { whyFact } from '../../operator/approvals/money.ts'
import { closeFindingByHand } from '../../reports/findings.ts'
import { expectFile, withdrawStatement } from '../../reports/withdraw.ts'
import { type AnyRow, act } from '../act.ts'
import { account, text, why } from '../input.ts'

/** It moves nothing. */
export const close = act('reconcile close', {
  accountId: account(),
  differenceId: text({ flag: 'difference', placeholder: 'D' }),
  why: why({ isOptional: true }),
})({
  shows: {
    accountId: ({ args }) => textFact('account', args.accountId),
    differenceId: ({ args }) => textFact('difference', args.differenceId),
    why: whyFact,
  },
  run: (ctx, { accountId, differenceId: id, why: reason = null }, { name: by }) =>
    closeFindingByHand(ctx, { accountId, id }, { by, why: reason }),
  result: async (_ctx, _done, { accountId, differenceId }) => ({
    facts: { account: accountId, closed: differenceId },
  }),
  helpExamples: ['--account acc_01... --difference "pay_01.../1 taken" --why "the provider will correct it"'],
  async examples(scene) {
    const { accountId, differenceId } = await scene.statement()
    return [{ accountId, differenceId, why: 'another system uses the account' }]
  },
})

/** Payments and entries stay as they are. */
export const withdraw = act('reconcile withdraw', {
  accountId: account(),
  statement: text({ placeholder: 'DIGEST' }),
  why: why({ isOptional: true }),
})({
  shows: {
    accountId: ({ args }) => textFact('account', args.accountId),
    statement: async ({ ctx, args }) =>
      textFact('statement', (await expectFile(ctx, args.accountId, args.statement)).digest),
    why: whyFact,
  },
  async run(ctx, { accountId, statement, why: reason = null }, { name: by }) {
    const { digest } = await expectFile(ctx, accountId, statement)
    return withdrawStatement(ctx, { accountId, digest }, { by, why: reason })
  },
  result: async (_ctx, withdrawn, { accountId }) => ({
    facts: { account: accountId, withdrawn },
    textValues: Object.fromEntries(Object.entries(withdrawn).map(([name, value]) => [name, String(value)])),
  }),
  helpExamples: ['--account acc_01... --statement 3f2c9a1b0c4d --why "read with the wrong order of dates"'],
  async examples(scene) {
    const { accountId, statement } = await scene.statement()
    return [{ accountId, statement, why: 'the wrong account' }]
  },
})

export const STATEMENT_ACTS: readonly AnyRow[] = [close, withdraw]
