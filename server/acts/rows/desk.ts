/** The acts on what waits for a person: a case of the desk that moves nothing, and what somebody has proposed. */
import { z } from 'zod'
import type { Context } from '../../context.ts'
import { getApproval } from '../../operator/approvals/approval.ts'
import { type Fact, textFact } from '../../operator/approvals/facts.ts'
import { grantProposal } from '../../operator/approvals/grant.ts'
import { refuseProposal } from '../../operator/approvals/refuse.ts'
import { settleRefusal, settleWarnings } from '../../operator/desk/desk.ts'
import { type AnyRow, act } from '../act.ts'
import { bound, optionalText, optionalWords, text, words } from '../input.ts'

export const settle = act('desk settle', {
  paymentId: optionalText({ flag: 'payment', placeholder: 'ID' }),
  tokenId: optionalText({ flag: 'token', placeholder: 'ID' }),
  why: words({}),
  // What the person saw of the case: the time of its last warning, or how many calls were refused.
  until: bound(z.date().nullable().optional()),
  calls: bound(z.number().int().nullable().optional()),
})({
  wrong: ({ paymentId, tokenId }) =>
    (paymentId === undefined) === (tokenId === undefined) ? 'paymentId' : null,
  shows: {
    paymentId: ({ args }) => textFact('payment', args.paymentId),
    tokenId: ({ args }) => textFact('token', args.tokenId),
    why: ({ args }) => textFact('why', args.why),
    until: 'bound',
    calls: 'bound',
  },
  async run(ctx, { paymentId = '', tokenId, why, until, calls: seen }, { name: by }) {
    if (tokenId === undefined)
      return { paymentId, settled: await settleWarnings(ctx, paymentId, { by, why, until }) }
    const { calls } = await settleRefusal(ctx, tokenId, { by, why, calls: seen })
    return { tokenId, calls }
  },
  async result(_ctx, done) {
    const lines = 'settled' in done ? done.settled.join('\n') : ''
    return { facts: { ...done }, textValues: { lines, calls: 'calls' in done ? String(done.calls) : 'none' } }
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

async function proposalFacts(ctx: Context, id: string, state: 'done' | 'refused'): Promise<Fact[]> {
  const { proposal } = await getApproval(ctx, id)
  const { what, about } = proposal
  return [...textFact('proposal', `${what}, ${about}`), ...textFact('state', state, proposal.state)]
}

/** Does what another person has proposed, in transactions of its own. Its page asks for it. */
export const grant = act('approval grant', { approvalId: text({ flag: 'approval', placeholder: 'ID' }) })({
  asksOthers: true,
  shows: { approvalId: ({ ctx, args }) => proposalFacts(ctx, args.approvalId, 'done') },
  run: (ctx, { approvalId }, person) => grantProposal(ctx, { person }, approvalId),
  async result(_ctx, { what, about, hasSecret, halves: { link, key } }, { approvalId }) {
    const shownOnce = { ...(link && { linkEnd: link }), ...(key && { keyEnd: key }) }
    const opens = Object.keys(shownOnce).length > 0 ? 'halves' : hasSecret ? 'secret' : 'nothing'
    return { facts: { approvalId, what, about, hasSecret }, shownOnce, textValues: { opens } }
  },
  helpExamples: ['--approval apr_01...'],
  examples: async (scene) => [{ approvalId: await scene.proposal() }],
})

/** Refuses what somebody has proposed. Its page asks for it. The proposer takes it back in this way. */
export const refuse = act('approval refuse', {
  approvalId: text({ flag: 'approval', placeholder: 'ID' }),
  why: optionalWords({}),
})({
  shows: {
    approvalId: ({ ctx, args }) => proposalFacts(ctx, args.approvalId, 'refused'),
    why: ({ args }) => textFact('why', args.why),
  },
  run: (ctx, { approvalId, why }, person) => refuseProposal(ctx, person, approvalId, why),
  result: async (_ctx, { id: approvalId, what, about }) => ({ facts: { approvalId, what, about } }),
  helpExamples: ['--approval apr_01...', '--approval apr_01... --why "The bank knows another name"'],
  examples: async (scene) => [{ approvalId: await scene.proposal() }],
})

export const DESK_ACTS: readonly AnyRow[] = [settle, grant, refuse]
