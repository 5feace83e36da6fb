/** `token`: the API keys of merchants' back ends. */

import {
  type ApiKeyRecord,
  getToken,
  listTokens,
  returnsMoney,
  revokeToken,
  rotateToken,
  SCOPES,
  tokenState,
} from '../../merchants/api-key.ts'
import { OVERLAP_DEFAULT, OVERLAPS } from '../../merchants/overlap.ts'
import { doOrPropose } from '../../operator/approvals/approvals.ts'
import { presentLimits, presentToken } from '../../operator/merchant-overview.ts'
import { amountsText } from '../../payments/money.ts'
import type { RefundLimits } from '../../storage/access/users.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { MERCHANT, optional, optionalChoice, required, severalChoices } from '../flag.ts'
import { listText, moment, pairs, paragraphs } from '../layout.ts'
import { proposedOutcome } from '../proposal-text.ts'
import { refundLimit } from './refund-limit.ts'

const REFUND_LIMITS = {
  refundLimit: refundLimit(
    'the most that the token may return of one payment; default: what you may return; none: no limit',
  ),
  refundLimitDay: refundLimit(
    'the most that the token may return in a day; default: the limit of one payment; none: the same',
  ),
}
type GivenLimits = {
  refundLimit?: RefundLimits | null | undefined
  refundLimitDay?: RefundLimits | null | undefined
}
const limitsOf = ({ refundLimit: refundLimits, refundLimitDay: refundLimitsDay }: GivenLimits) => ({
  refundLimits,
  refundLimitsDay,
})

const issue = verb({
  name: 'issue',
  needs: 'operator',
  summary: "Issue a token for a merchant's back end; prints it once",
  flags: {
    merchant: MERCHANT,
    scope: severalChoices('S', 'the scopes of the token; default all', SCOPES),
    ...REFUND_LIMITS,
  },
  examples: [
    '--merchant mer_01...',
    '--merchant mer_01... --scope payments.read payments.write',
    '--merchant mer_01... --refund-limit "100.00 USD" --refund-limit-day "500.00 USD"',
  ],
  async run(ctx, { merchant: merchantId, scope, ...limits }, { person }) {
    const { world } = ctx
    const wish = { merchantId, scopes: scope, ...limitsOf(limits) }
    const decided = await doOrPropose(ctx, person, 'token issue', wish)
    if ('proposed' in decided) return proposedOutcome(decided.proposed)
    const { token, tokenId } = decided.done
    const record = await getToken(ctx, tokenId)
    const text = paragraphs(
      'Issued the token.',
      pairs([
        ['Token', token],
        ['Token id', tokenId],
        ['World', world],
        ['Scopes', scope?.join(', ') ?? 'all'],
        ...limitLines(record),
      ]),
      'The token is shown only now. The back end sends it as "Authorization: Bearer TOKEN". A web page must never contain it.',
    )
    const shown = { scopes: scope ?? SCOPES, ...(returnsMoney(record) && presentLimits(record)) }
    return { json: { token, tokenId, merchantId, world, ...shown }, text }
  },
})

const list = verb({
  name: 'list',
  needs: 'viewer',
  summary: 'List the tokens of a merchant, or of all merchants, by id',
  flags: { merchant: optional('ID', 'only tokens of this merchant') },
  examples: ['', '--merchant mer_01...'],
  async run(ctx, { merchant: merchantId }) {
    const { world } = ctx
    const tokens = await listTokens(ctx, merchantId)
    const now = ctx.clock.now()
    const rows = tokens.map((token) => [
      token.id,
      stateText(token, now),
      moment(token.createdAt),
      token.merchantId,
      token.scopes.length === SCOPES.length ? 'all' : token.scopes.join(', '),
      refundsText(token),
    ])
    const text = listText(
      ['Token id', 'State', 'Issued', 'Merchant', 'Scopes', 'Refunds'],
      rows,
      `${merchantId ? 'The merchant has no token.' : 'There is no token.'} Issue one: ${ADMIN} token issue --merchant ${merchantId ?? 'ID'}`,
    )
    const shown = tokens.map((token) => {
      const { merchantId: owner } = token
      return { ...presentToken(token), merchantId: owner, state: tokenState(token, now) }
    })
    return { json: { ...(merchantId && { merchantId }), world, tokens: shown }, text }
  },
})

function stateText(token: ApiKeyRecord, now: Date): string {
  const state = tokenState(token, now)
  const at = token.revokedAt ?? token.expiresAt
  if (!at) return state
  return state === 'replaced' ? `replaced, ends ${moment(at)}` : `${state} ${moment(at)}`
}

/** A token of an earlier version has no limits, whatever its issuer may return. */
function refundsText(token: ApiKeyRecord): string {
  if (!returnsMoney(token)) return 'none'
  if (token.issuedBy === null) return 'no limit (issued by an earlier version)'
  const { refundLimits, refundLimitsDay } = token
  if (!refundLimits && !refundLimitsDay) return 'no limit of its own'
  const parts = [
    refundLimits && `up to ${amountsText(refundLimits)}`,
    refundLimitsDay && `up to ${amountsText(refundLimitsDay)} a day`,
  ]
  return parts.filter(Boolean).join(', ')
}

const limitLines = (token: ApiKeyRecord): [string, string][] =>
  returnsMoney(token) ? [['Refunds', refundsText(token)]] : []

const set = verb({
  name: 'set',
  needs: 'operator',
  summary: 'Change how much money a token may return',
  flags: { token: required('ID', "the token's id (tok_...)"), ...REFUND_LIMITS },
  examples: ['--token tok_01... --refund-limit "100.00 USD" --refund-limit-day "500.00 USD"'],
  async run(ctx, { token: tokenId, ...limits }, { person }) {
    const decided = await doOrPropose(ctx, person, 'token set', { tokenId, ...limitsOf(limits) })
    if ('proposed' in decided) return proposedOutcome(decided.proposed)
    const changed = decided.done
    const text = pairs([
      ['Token id', tokenId],
      ['Merchant', changed.token.merchantId],
      ['Before', refundsText(changed.before)],
      ['Refunds', refundsText(changed.token)],
    ])
    const { merchantId } = changed.token
    return { json: { tokenId, merchantId, ...presentLimits(changed.token) }, text }
  },
})

const revoke = verb({
  name: 'revoke',
  needs: 'operator',
  summary: 'Revoke a token',
  flags: { token: required('ID', "the token's id (tok_...), or a leaked token itself") },
  examples: ['--token tok_01...'],
  async run(ctx, { token: idOrToken }, { person }) {
    const { merchantId, id: tokenId, revokedAt } = await revokeToken(ctx, idOrToken, person)
    const text = paragraphs(
      'Revoked the token. Every server rejects it.',
      pairs([
        ['Token id', tokenId],
        ['Merchant', merchantId],
        ['Revoked', revokedAt && moment(revokedAt)],
      ]),
    )
    return { json: { tokenId, merchantId, revokedAt }, text }
  },
})

const rotate = verb({
  name: 'rotate',
  needs: 'operator',
  summary: 'Replace a token with a new one of the same scopes and limits',
  flags: {
    token: required('ID', "the old token's id (tok_...)"),
    overlap: optionalChoice('T', `how long the old token still works; default ${OVERLAP_DEFAULT}`, OVERLAPS),
  },
  examples: ['--token tok_01...', '--token tok_01... --overlap 7d', '--token tok_01... --overlap 0'],
  async run(ctx, { token: oldTokenId, overlap = OVERLAP_DEFAULT }, { person }) {
    const { token, tokenId, old } = await rotateToken(ctx, oldTokenId, overlap, person)
    const { world } = ctx
    const { merchantId, scopes, expiresAt } = old
    const text = paragraphs(
      'Issued the new token. It works now.',
      pairs([
        ['Token', token],
        ['Token id', tokenId],
        ['World', world],
        ['Scopes', scopes.length === SCOPES.length ? 'all' : scopes.join(', ')],
        ['Old token', oldTokenId],
        ['Old token ends', expiresAt && (overlap === '0' ? 'now' : moment(expiresAt))],
      ]),
      'The new token is shown only now. Put it into the back end before the old token ends.',
    )
    return { json: { token, tokenId, merchantId, world, scopes, oldTokenId, oldUntil: expiresAt }, text }
  },
})

export const token: Noun = {
  name: 'token',
  summary: 'Issue, list, limit, rotate and revoke API keys',
  verbs: [issue, list, set, revoke, rotate],
}
