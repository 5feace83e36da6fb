/** The API keys of a shop's back end. A new one is shown once. */
import {
  type ApiKeyRecord,
  issueToken,
  listTokens,
  revokeToken,
  rotateToken,
  SCOPES,
  tokenState,
} from '../../merchants/api-key.ts'
import type { Overlap } from '../../merchants/overlap.ts'
import { formatMoment } from '../../pages/words/locale.ts'
import type { Option } from '../form-parts.ts'
import { say } from '../words/say.ts'
import { type Scene, type SettingAct, setting } from './act.ts'
import { OVERLAP } from './callback-acts.ts'
import type { Field } from './fields.ts'

type Present = { tokens: ApiKeyRecord[] }

const present = async ({ ctx, about }: Scene): Promise<Present> => ({ tokens: await listTokens(ctx, about) })

const tickOf = (scope: string) => `scope_${scope.replace('.', '_')}`
const scopesOf = (given: Record<string, string>) => SCOPES.filter((scope) => given[tickOf(scope)] === 'yes')

const issue = setting<Present>({
  ...{ name: 'token_issue', needs: 'token issue', place: 'shop', group: 'setTokens', asks: true, present },
  fields: () =>
    SCOPES.map((scope) => ({ name: tickOf(scope), label: { as: scope }, kind: 'tick', value: 'yes' })),
  check: (given) => (scopesOf(given).length === 0 ? { [tickOf(SCOPES[0])]: 'setScopes' } : {}),
  changes: (given) => [['setScopeList', null, scopesOf(given).join(', ')]],
  async run(ctx, given, { about }) {
    const { token, tokenId } = await issueToken(ctx, { merchantId: about, scopes: scopesOf(given) })
    return {
      secrets: [
        ['setTokenId', tokenId],
        ['setToken', token],
      ],
    }
  },
})

/** Those that still work, the newest first. */
const working = ({ tokens }: Present, { visit: { locale }, ctx, timeZone }: Scene): Option[] =>
  tokens
    .filter((each) => ['active', 'replaced'].includes(tokenState(each, ctx.clock.now())))
    .toReversed()
    .map(({ id, createdAt }) => [
      id,
      `${id} · ${formatMoment(createdAt.toISOString(), locale, { year: true, timeZone }) ?? ''}`,
    ])

const tokenField = (options: readonly Option[]): Field => ({
  ...{ name: 'token', label: 'setTokenId', kind: 'choice', options },
})

const rotate = setting<Present>({
  ...{ name: 'token_rotate', needs: 'token rotate', place: 'shop', group: 'setTokens', asks: true, present },
  whyNot: ({ tokens }) => (tokens.some(({ revokedAt }) => !revokedAt) ? null : 'setTokensNone'),
  fields: (shown, scene) => [tokenField(working(shown, scene)), OVERLAP(scene)],
  blames: 'token',
  changes: ({ token = '', overlap }, _present, { visit: { locale } }) => [
    ['setTokenId', token, say(locale, 'setTokenNew')],
    ['setOverlap', null, say(locale, `overlap_${overlap as Overlap}`)],
  ],
  async run(ctx, { token = '', overlap }) {
    const made = await rotateToken(ctx, token, overlap as Overlap)
    return {
      secrets: [
        ['setTokenId', made.tokenId],
        ['setToken', made.token],
      ],
    }
  },
})

const revoke = setting<Present>({
  ...{ name: 'token_revoke', needs: 'token revoke', place: 'shop', group: 'setTokens', present },
  whyNot: ({ tokens }) => (tokens.some(({ revokedAt }) => !revokedAt) ? null : 'setTokensNone'),
  fields: (shown, scene) => [tokenField(working(shown, scene))],
  blames: 'token',
  changes: ({ token = '' }, _present, { visit: { locale } }) => [
    ['setTokenId', token, say(locale, 'setRevoked')],
  ],
  async run(ctx, { token = '' }) {
    await revokeToken(ctx, token)
    return 'done'
  },
})

/** Whoever has found a token somewhere does not know whose it is. */
const leaked = setting<object>({
  ...{ name: 'token_leaked', needs: 'token revoke', place: 'deployment', group: 'setShops' },
  present: async () => ({}),
  fields: () => [{ name: 'token', label: 'setToken', kind: 'secret', hint: 'setLeakedHint' }],
  check: ({ token = '' }) => (token === '' || token.startsWith('ksk_') ? {} : { token: 'setLeakedHint' }),
  blames: 'token',
  changes: (_given, _present, { visit: { locale } }) => [['setToken', '•••', say(locale, 'setRevoked')]],
  async run(ctx, { token = '' }) {
    const { id, merchantId } = await revokeToken(ctx, token)
    return {
      told: 'setTokenRevoked',
      lines: [
        ['setTokenId', id],
        ['merchantId', merchantId],
      ],
    }
  },
})

export const TOKEN_ACTS: readonly SettingAct[] = [issue, rotate, revoke, leaked]
