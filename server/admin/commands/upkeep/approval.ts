/** `approval`: the second person for what moves or redirects money. */
import { expectSeveral } from '../../../audit/people.ts'
import { CURRENCY_CODES } from '../../../contract/fields.ts'
import { AppError } from '../../../errors.ts'
import { getApproval } from '../../../operator/approvals/approval.ts'
import { doOrPropose, grantProposal, listApprovals } from '../../../operator/approvals/approvals.ts'
import { refuseProposal } from '../../../operator/approvals/refuse.ts'
import { parseAmount } from '../../../payments/money.ts'
import { type Noun, verb } from '../../command.ts'
import { optional, required, requiredChoice, toggle } from '../../flag.ts'
import { counted, listText, moment, pairs, paragraphs } from '../../layout.ts'
import { presentProposal, proposedOutcome } from '../../proposal-text.ts'

const APPROVAL = required('ID', "the proposal's id (apr_...)")

const list = verb({
  name: 'list',
  needs: 'viewer',
  summary: 'List what waits for a second person, newest first',
  flags: { all: toggle('also what was decided or has expired') },
  examples: ['', '--all'],
  async run(ctx, { all }) {
    const proposals = await listApprovals(ctx, { all })
    const rows = proposals.map(({ id, what, about, proposer, expiresAt, state, decider }) => [
      ...[id, what, about, proposer, moment(expiresAt)],
      decider ? `${state} by ${decider}` : state,
    ])
    const text = listText(
      ['Approval', 'What', 'About', 'Proposed by', 'Expires', 'State'],
      rows,
      'Nothing waits for a second person.',
      counted(rows.length, 'proposal'),
    )
    return { json: { approvals: proposals.map(presentProposal) }, text }
  },
})

const show = verb({
  name: 'show',
  needs: 'viewer',
  summary: 'Show a proposal, and whether it can still be granted',
  flags: { approval: APPROVAL },
  examples: ['--approval apr_01...'],
  async run(ctx, { approval: id }) {
    const { proposal, payment, hasMoved, isExpired, instead } = await getApproval(ctx, id)
    const { what, about, proposer, proposedAt, expiresAt, state, decider, refusedWhy } = proposal
    const found = { hasMoved, isExpired, paymentId: payment?.id ?? null, instead }
    return {
      json: { approval: { ...presentProposal(proposal), ...found } },
      text: paragraphs(
        pairs([
          ['Approval', id],
          ['What', what],
          ['About', about],
          ['Proposed by', `${proposer}, ${moment(proposedAt)}`],
          ['Expires', moment(expiresAt)],
          ['State', decider ? `${state} by ${decider}` : state],
          ['Why', refusedWhy],
          ['Instead of', instead],
        ]),
        hasMoved &&
          `The ${payment ? 'payment' : "shop's account"} has changed since, so it cannot be granted. Propose it again.`,
        isExpired && 'It has expired. Propose it again.',
      ),
    }
  },
})

/** What an act makes and shows once. */
type Shown = Partial<Record<'webhookSecret' | 'link' | 'key', string | null>>

const grant = verb({
  name: 'grant',
  needs: 'operator',
  summary: 'Do what another operator has proposed',
  flags: { approval: APPROVAL },
  examples: ['--approval apr_01...'],
  async run(ctx, { approval: id }, { person, act }) {
    const { what, about, result } = await grantProposal(ctx, { person, act }, id)
    const { webhookSecret, link, key } = (result ?? {}) as Shown
    return {
      json: {
        ...{ approvalId: id, what, about },
        ...(webhookSecret && { webhookSecret }),
        ...(link && { linkEnd: link }),
        ...(key && { keyEnd: key }),
      },
      text: paragraphs(
        `Done: ${what}, ${about}.`,
        webhookSecret && `The callback secret is new, and it is shown only now: ${webhookSecret}`,
        link && `The second half of the link: ${link}`,
        key && `The second half of the key: ${key}`,
        (link || key) &&
          'A second half is shown only now. Pass it on to the person it is for, who gets the first half from whoever has proposed it.',
      ),
    }
  },
})

const refuse = verb({
  name: 'refuse',
  needs: 'operator',
  summary: 'Refuse what an operator has proposed, or take it back',
  flags: {
    approval: APPROVAL,
    why: optional('TEXT', 'what the shop reads, if it has asked for a bank account'),
  },
  examples: ['--approval apr_01...', '--approval apr_01... --why "The bank knows another name"'],
  async run(ctx, { approval: id, why }, { person }) {
    const { what, about } = await refuseProposal(ctx, person, id, why)
    return { json: { approvalId: id, what, about }, text: `Refused: ${what}, ${about}. Nothing was changed.` }
  },
})

const limit = verb({
  name: 'limit',
  needs: 'administrator',
  summary: 'Set from which amount on a second person must approve',
  flags: {
    currency: requiredChoice('CUR', 'the currency', CURRENCY_CODES),
    amount: optional('500.00', 'one person alone may decide up to this amount'),
    off: toggle('remove the limit of the currency'),
  },
  examples: ['--currency USD --amount 500.00', '--currency USD --off'],
  async run(ctx, { currency, amount, off }, { person }) {
    if ((amount === undefined) !== off)
      throw new AppError('validation_failed', { message: 'Give either --amount or --off.' })
    await expectSeveral(ctx)
    const limitMinor = amount === undefined ? null : parseAmount(amount, currency)
    const decided = await doOrPropose(ctx, person, 'approval limit', { currency, limitMinor })
    if ('proposed' in decided) return proposedOutcome(decided.proposed)
    const text =
      limitMinor === null
        ? `There is no limit in ${currency} any more.`
        : `Above ${amount} ${currency} a second person must approve what is decided by hand. With the first limit of a world, a new account or callback URL and a change of a limit need one too.`
    return { json: { ...decided.done }, text }
  },
})

export const approval: Noun = {
  name: 'approval',
  summary: 'List, grant and refuse what needs a second person',
  verbs: [list, show, grant, refuse, limit],
}
