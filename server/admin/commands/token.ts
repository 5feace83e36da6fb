/** `token`: the API keys of merchants' back ends. */

import { type ApiKeyRecord, listTokens, returnsMoney, SCOPES, tokenState } from '../../merchants/api-key.ts'
import { presentToken } from '../../operator/merchant-overview.ts'
import { amountsText } from '../../payments/money.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { optional } from '../flag.ts'
import { listText, moment } from '../layout.ts'

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

export const token: Noun = {
  name: 'token',
  summary: 'Issue, list, limit, rotate and revoke API keys',
  verbs: [list],
}
