/** `token`: the API keys of merchants' back ends. */
import {
  type ApiKeyRecord,
  issueToken,
  listTokens,
  revokeToken,
  rotateToken,
  SCOPES,
  tokenState,
} from '../../merchants/api-key.ts'
import { OVERLAP_DEFAULT, OVERLAPS } from '../../merchants/overlap.ts'
import { presentToken } from '../../operator/merchant-overview.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { MERCHANT, optional, optionalChoice, required, severalChoices } from '../flag.ts'
import { listText, moment, pairs, paragraphs } from '../layout.ts'

const issue = verb({
  name: 'issue',
  needs: 'operator',
  summary: "Issue a token for a merchant's back end; prints it once",
  flags: {
    merchant: MERCHANT,
    scope: severalChoices('S', 'the scopes of the token; default all', SCOPES),
  },
  examples: ['--merchant mer_01...', '--merchant mer_01... --scope payments.read payments.write'],
  async run(ctx, { merchant: merchantId, scope }) {
    const { world } = ctx
    const { token, tokenId } = await issueToken(ctx, { merchantId, ...(scope && { scopes: scope }) })
    const text = paragraphs(
      'Issued the token.',
      pairs([
        ['Token', token],
        ['Token id', tokenId],
        ['World', world],
        ['Scopes', scope?.join(', ') ?? 'all'],
      ]),
      'The token is shown only now. The back end sends it as "Authorization: Bearer TOKEN". A web page must never contain it.',
    )
    return { json: { token, tokenId, merchantId, world, scopes: scope ?? SCOPES }, text }
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
    ])
    const text = listText(
      ['Token id', 'State', 'Issued', 'Merchant', 'Scopes'],
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

const revoke = verb({
  name: 'revoke',
  needs: 'operator',
  summary: 'Revoke a token',
  flags: { token: required('ID', "the token's id (tok_...), or a leaked token itself") },
  examples: ['--token tok_01...'],
  async run(ctx, { token: idOrToken }) {
    const { merchantId, id: tokenId, revokedAt } = await revokeToken(ctx, idOrToken)
    const text = paragraphs(
      'Revoked the token. Within a second every server rejects it.',
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
  summary: 'Replace a token with a new one of the same scopes',
  flags: {
    token: required('ID', "the old token's id (tok_...)"),
    overlap: optionalChoice('T', `how long the old token still works; default ${OVERLAP_DEFAULT}`, OVERLAPS),
  },
  examples: ['--token tok_01...', '--token tok_01... --overlap 7d', '--token tok_01... --overlap 0'],
  async run(ctx, { token: oldTokenId, overlap = OVERLAP_DEFAULT }) {
    const { token, tokenId, old } = await rotateToken(ctx, oldTokenId, overlap)
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
        ['Old token ends', expiresAt && (overlap === '0' ? 'within a second' : moment(expiresAt))],
      ]),
      'The new token is shown only now. Put it into the back end before the old token ends.',
    )
    return { json: { token, tokenId, merchantId, world, scopes, oldTokenId, oldUntil: expiresAt }, text }
  },
})

export const token: Noun = {
  name: 'token',
  summary: 'Issue, list, rotate and revoke API keys',
  verbs: [issue, list, revoke, rotate],
}
