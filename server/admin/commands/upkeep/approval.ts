/** `approval`: the second person for what moves or redirects money. */
import { CURRENCY_CODES } from '../../../contract/fields.ts'
import { AppError } from '../../../errors.ts'
import { getApproval } from '../../../operator/approvals/approval.ts'
import { doOrPropose } from '../../../operator/approvals/approvals.ts'
import { grantProposal } from '../../../operator/approvals/grant.ts'
import { listApprovals, presentProposal } from '../../../operator/approvals/listing.ts'
import { refuseProposal } from '../../../operator/approvals/refuse.ts'
import { revealSecret } from '../../../operator/approvals/secrets.ts'
import { factLines, lineText } from '../../../pages/approvals/facts.ts'
import { actText } from '../../../pages/approvals/messages.ts'
import { parseTypedAmount } from '../../../payments/money.ts'
import { ADMIN, type Noun, verb } from '../../command.ts'
import { optional, required, requiredChoice, toggle } from '../../flag.ts'
import { counted, listText, moment, pairs, paragraphs } from '../../layout.ts'
import { proposedOutcome, sumText } from '../../proposal-text.ts'

const APPROVAL = required('ID', "the proposal's id (apr_...)")

const list = verb({
  name: 'list',
  needs: 'viewer',
  summary: 'List what waits for a second person, newest first',
  flags: { all: toggle('also what was decided or has expired') },
  examples: ['', '--all'],
  async run(ctx, { all }) {
    const proposals = await listApprovals(ctx, { all })
    const rows = proposals.map((each) => [
      each.id,
      each.what,
      each.merchantId ?? '-',
      sumText(each) ?? '-',
      each.about,
      each.proposer,
      moment(each.expiresAt),
      each.decider ? `${each.state} by ${each.decider}` : each.state,
    ])
    const text = listText(
      ['Approval', 'What', 'Merchant', 'Amount', 'About', 'Proposed by', 'Expires', 'State'],
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
  summary: 'Show all that a proposal does, and whether it can be granted',
  flags: { approval: APPROVAL },
  examples: ['--approval apr_01...'],
  async run(ctx, { approval: id }) {
    const approval = await getApproval(ctx, id)
    const { proposal, payment, merchantName, facts, hasMoved, isExpired, isUnreadable } = approval
    const { what, about, merchantId, proposer, proposedAt, expiresAt, state, decider, refusedWhy } = proposal
    const lines = factLines('en', facts)
    const found = { merchantName, hasMoved, isExpired, isUnreadable, paymentId: payment?.id ?? null }
    return {
      json: { approval: { ...presentProposal(proposal), ...found, facts: lines } },
      text: paragraphs(
        pairs([
          ['Approval', id],
          ['What', `${what}: ${actText('en', what)}`],
          ['About', about],
          ['Merchant', merchantName && `${merchantName} (${merchantId})`],
          ['Amount', sumText(proposal)],
          ['Proposed by', `${proposer}, ${moment(proposedAt)}`],
          ['Expires', moment(expiresAt)],
          ['State', decider ? `${state} by ${decider}` : state],
          ['Why', refusedWhy],
        ]),
        lines.length > 0 && 'It does exactly this:',
        lines.length > 0 && pairs(lines.map((line) => [line.label, lineText('en', line)])),
        hasMoved && 'What it is about has changed since, so it cannot be granted. Propose it again.',
        isExpired && 'It has expired. Propose it again.',
        isUnreadable && 'This version cannot read what it does, so it cannot be granted. Propose it again.',
        proposal.hasSecret && secretWaits(id),
      ),
    }
  },
})

const secretWaits = (id: string) =>
  `It has made a secret, which is shown once to whoever has proposed it:\n  ${ADMIN} approval secret --approval ${id}`

const grant = verb({
  name: 'grant',
  needs: 'operator',
  summary: 'Do what another operator has proposed',
  flags: { approval: APPROVAL },
  examples: ['--approval apr_01...'],
  async run(ctx, { approval: id }, { person, act }) {
    const { what, about, halves, hasSecret } = await grantProposal(ctx, { person, act }, id)
    const { link, key } = halves
    return {
      json: {
        approvalId: id,
        what,
        about,
        hasSecret,
        ...(link && { linkEnd: link }),
        ...(key && { keyEnd: key }),
      },
      text: paragraphs(
        `Done: ${what}, ${about}.`,
        hasSecret &&
          'It has made a secret. Whoever has proposed it sees the secret once, within a day. You do not see it.',
        link && `The second half of the link: ${link}`,
        key && `The second half of the key: ${key}`,
        (link || key) &&
          'A second half is shown only now. Pass it on to the person it is for, who gets the first half from whoever has proposed it.',
      ),
    }
  },
})

const SECRETS = { token: 'Token', webhookSecret: 'Callback secret' } as const

const secret = verb({
  name: 'secret',
  needs: 'operator',
  summary: 'Show the secret that your granted proposal has made, once',
  flags: { approval: APPROVAL },
  examples: ['--approval apr_01...'],
  async run(ctx, { approval: id }, { person }) {
    const { kind, text: made, merchantId, overlap } = await revealSecret(ctx, person, id)
    return {
      json: { approvalId: id, merchantId, [kind]: made },
      text: paragraphs(
        pairs([
          [SECRETS[kind], made],
          ['Merchant', merchantId],
        ]),
        'It is shown only now. Store it in the shop.',
        overlap !== undefined && `Earlier secrets still sign for ${overlap}, from now on.`,
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
    off: toggle('go without a limit in the currency: remove it, or decline what is suggested'),
  },
  examples: ['--currency USD --amount 500.00', '--currency USD --off'],
  async run(ctx, { currency, amount, off }, { person }) {
    if ((amount === undefined) !== off)
      throw new AppError('validation_failed', { message: 'Give either --amount or --off.' })
    const limitMinor = amount === undefined ? null : parseTypedAmount(amount, currency)
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
  verbs: [list, show, grant, refuse, secret, limit],
}
