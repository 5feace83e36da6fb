/** `token`: what a merchant's back end shows with each call. */

import {
  type ApiKeyRecord,
  issueToken,
  listTokens,
  revokeToken,
  rotateToken,
  SCOPES,
} from '../../merchants/api-key.ts'
import { OVERLAP_DEFAULT, OVERLAPS } from '../../merchants/overlap.ts'
import { ADMIN, type Noun, verb } from '../command.ts'
import { MERCHANT, optionalChoice, required, severalChoices } from '../flag.ts'
import { moment, pairs, paragraphs, table } from '../layout.ts'

/** A token as it may be seen: everything but itself. */
export function presentToken({ id, scopes, createdAt, expiresAt, revokedAt }: ApiKeyRecord) {
  return { tokenId: id, scopes, createdAt, expiresAt, revokedAt }
}

const issue = verb({
  name: 'issue',
  summary: "Issue a token for the merchant's back end; it is shown once",
  flags: {
    merchant: MERCHANT,
    scope: severalChoices('S', 'what it may do; may be given several times; all when left out', SCOPES),
  },
  examples: ['--merchant mer_01...', '--merchant mer_01... --scope payments.read --scope payments.write'],
  async run(ctx, { merchant: merchantId, scope }) {
    const { world } = ctx
    const { token, tokenId } = await issueToken(ctx, { merchantId, ...(scope && { scopes: scope }) })
    const text = paragraphs(
      'The token is issued.',
      pairs([
        ['Token', token],
        ['Token id', tokenId],
        ['World', world],
        ['Scopes', scope?.join(', ') ?? 'all'],
      ]),
      'It is shown only now. The back end sends it as "Authorization: Bearer TOKEN"; a web page must never hold it.',
    )
    return { json: { token, tokenId, merchantId, world, scopes: scope ?? SCOPES }, text }
  },
})

const list = verb({
  name: 'list',
  summary: "A merchant's tokens, by id; the tokens themselves are not kept",
  flags: { merchant: MERCHANT },
  examples: ['--merchant mer_01...'],
  async run(ctx, { merchant: merchantId }) {
    const tokens = await listTokens(ctx, merchantId)
    const now = ctx.clock.now()
    const rows = tokens.map((token) => [
      token.id,
      stateOf(token, now),
      moment(token.createdAt),
      token.scopes.length === SCOPES.length ? 'all' : token.scopes.join(', '),
    ])
    const text =
      tokens.length > 0
        ? table(['Token id', 'State', 'Issued', 'Scopes'], rows)
        : `The merchant has no token. Issue one: ${ADMIN} token issue --merchant ${merchantId}`
    const shown = tokens.map((token) => ({ ...presentToken(token), state: stateWord(token, now) }))
    return { json: { merchantId, tokens: shown }, text }
  },
})

function stateWord({ revokedAt, expiresAt }: ApiKeyRecord, now: Date) {
  if (revokedAt) return 'revoked'
  if (!expiresAt) return 'active'
  return expiresAt <= now ? 'ended' : 'replaced'
}

function stateOf({ revokedAt, expiresAt }: ApiKeyRecord, now: Date): string {
  if (revokedAt) return `revoked ${moment(revokedAt)}`
  if (!expiresAt) return 'active'
  return expiresAt <= now ? `ended ${moment(expiresAt)}` : `replaced, ends ${moment(expiresAt)}`
}

const revoke = verb({
  name: 'revoke',
  summary: 'End a token, within a second everywhere',
  flags: { token: required('ID', "the token's id (tok_...), or a leaked token itself") },
  examples: ['--token tok_01...'],
  async run(ctx, { token: idOrToken }) {
    const { merchantId, id: tokenId, revokedAt } = await revokeToken(ctx, idOrToken)
    const text = paragraphs(
      'The token is revoked. Within a second every server refuses it.',
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
  summary: 'Replace a token by a new one of the same scopes, which works at once',
  flags: {
    token: required('ID', "the old token's id (tok_...)"),
    overlap: optionalChoice(
      'T',
      `how long the old one still works; ${OVERLAP_DEFAULT} when left out`,
      OVERLAPS,
    ),
  },
  examples: ['--token tok_01...', '--token tok_01... --overlap 7d', '--token tok_01... --overlap 0'],
  async run(ctx, { token: oldTokenId, overlap = OVERLAP_DEFAULT }) {
    const { token, tokenId, old } = await rotateToken(ctx, oldTokenId, overlap)
    const { world } = ctx
    const { merchantId, scopes, expiresAt } = old
    const text = paragraphs(
      'The new token works at once.',
      pairs([
        ['Token', token],
        ['Token id', tokenId],
        ['World', world],
        ['Scopes', scopes.length === SCOPES.length ? 'all' : scopes.join(', ')],
        ['Old token', oldTokenId],
        ['It ends', expiresAt && (overlap === '0' ? 'now, within a second everywhere' : moment(expiresAt))],
      ]),
      'The new token is shown only now. Put it into the back end before the old one ends.',
    )
    return { json: { token, tokenId, merchantId, world, scopes, oldTokenId, oldUntil: expiresAt }, text }
  },
})

export const token: Noun = {
  name: 'token',
  summary: "What a merchant's back end shows with each call",
  verbs: [issue, list, revoke, rotate],
}
