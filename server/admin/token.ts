/** `token`: what a merchant's back end shows with each call. */
import { issueToken, listTokens, revokeToken, SCOPES, type TokenRecord } from '../merchants/token.ts'
import { ADMIN, type Noun, verb } from './command.ts'
import { MERCHANT, required, severalChoices, toggle } from './flag.ts'
import { moment, pairs, paragraphs, table } from './layout.ts'

/** A token as it may be seen: everything but itself. */
export function presentToken({ id, mode, scopes, createdAt, expiresAt, revokedAt }: TokenRecord) {
  return { tokenId: id, mode, scopes, createdAt, expiresAt, revokedAt }
}

const issue = verb({
  name: 'issue',
  summary: "Issue a token for the merchant's back end; it is shown once",
  flags: {
    merchant: MERCHANT,
    scope: severalChoices('S', 'what it may do; may be given several times; all when left out', SCOPES),
    live: toggle('for real money; needs a completed onboarding'),
  },
  examples: ['--merchant mer_01...', '--merchant mer_01... --scope payments.read --scope payments.write'],
  async run(ctx, { merchant: merchantId, scope, live }) {
    const mode = live ? 'live' : ctx.config.mode
    const { token, tokenId } = await issueToken(ctx, { merchantId, mode, ...(scope && { scopes: scope }) })
    const text = paragraphs(
      'The token is issued.',
      pairs([
        ['Token', token],
        ['Token id', tokenId],
        ['Mode', mode],
        ['Scopes', scope?.join(', ') ?? 'all'],
      ]),
      'It is shown only now. The back end sends it as "Authorization: Bearer TOKEN"; a web page must never hold it.',
    )
    return { json: { token, tokenId, merchantId, mode, scopes: scope ?? SCOPES }, text }
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
      token.mode,
      stateOf(token, now),
      moment(token.createdAt),
      token.scopes.length === SCOPES.length ? 'all' : token.scopes.join(', '),
    ])
    const text =
      tokens.length > 0
        ? table(['Token id', 'Mode', 'State', 'Issued', 'Scopes'], rows)
        : `The merchant has no token. Issue one: ${ADMIN} token issue --merchant ${merchantId}`
    return { json: { merchantId, tokens: tokens.map(presentToken) }, text }
  },
})

function stateOf({ revokedAt, expiresAt }: TokenRecord, now: Date): string {
  if (revokedAt) return `revoked ${moment(revokedAt)}`
  return expiresAt && expiresAt <= now ? `expired ${moment(expiresAt)}` : 'active'
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

export const token: Noun = {
  name: 'token',
  summary: "What a merchant's back end shows with each call",
  verbs: [issue, list, revoke],
}
