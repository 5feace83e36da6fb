/** The API keys of a shop's back end. A new one is shown once. */

import {
  type ApiKeyRecord,
  issueToken,
  listTokens,
  returnsMoney,
  revokeToken,
  rotateToken,
  SCOPES,
  tokenState,
} from '../../merchants/api-key.ts'
import type { Overlap } from '../../merchants/overlap.ts'
import { setTokenLimits } from '../../merchants/token-limits.ts'
import { doOrRehearse } from '../../operator/acts/rehearse.ts'
import { doOrPropose } from '../../operator/approvals/approvals.ts'
import { formatMoment, type Locale } from '../../pages/words/locale.ts'
import { amountsText } from '../../payments/money.ts'
import type { RefundLimits, ReturnLimits } from '../../storage/access/users.ts'
import type { Option } from '../form-parts.ts'
import { readLimits } from '../typed-limits.ts'
import { say } from '../words/say.ts'
import { type Given, type Line, type Scene, type SettingAct, setting } from './act.ts'
import { OVERLAP } from './callback-acts.ts'
import type { Field } from './fields.ts'

type Present = { tokens: ApiKeyRecord[] }

const present = async ({ ctx, about }: Scene): Promise<Present> => ({ tokens: await listTokens(ctx, about) })

const tickOf = (scope: string) => `scope_${scope.replace('.', '_')}`
const scopesOf = (given: Given) => SCOPES.filter((scope) => given[tickOf(scope)] === 'yes')

type Limits = Partial<ReturnLimits>

const limitFields = (now: Limits | null): Field[] => [
  {
    ...{ name: 'limits', label: 'setTokenLimits', kind: 'long', hint: 'setTokenLimitsHint' },
    ...{ value: amountsText(now?.refundLimits, '\n'), isOptional: true },
  },
  {
    ...{ name: 'limitsDay', label: 'setTokenLimitsDay', kind: 'long', hint: 'setTokenLimitsDayHint' },
    ...{ value: amountsText(now?.refundLimitsDay, '\n'), isOptional: true },
  },
]

const limitProblems = ({ limits = '', limitsDay = '' }: Given) => ({
  ...(readLimits(limits) === undefined && { limits: 'userLimitsWrong' as const }),
  ...(readLimits(limitsDay) === undefined && { limitsDay: 'userLimitsWrong' as const }),
})

/** An empty field stands for what the issuer may return. */
const limitsOf = ({ limits = '', limitsDay = '' }: Given): Limits => {
  const [refundLimits, refundLimitsDay] = [readLimits(limits) ?? null, readLimits(limitsDay) ?? null]
  return { ...(refundLimits && { refundLimits }), ...(refundLimitsDay && { refundLimitsDay }) }
}

const shown = (locale: Locale, limits: RefundLimits | null | undefined) =>
  limits ? amountsText(limits) : say(locale, 'setTokenLimitsNone')

function limitLines(locale: Locale, before: Limits | null, given: Given): Line[] {
  const after = limitsOf(given)
  const line = (label: 'setTokenLimits' | 'setTokenLimitsDay', name: keyof ReturnLimits): Line => [
    label,
    before && shown(locale, before[name]),
    after[name] ? shown(locale, after[name]) : say(locale, 'setTokenLimitsOwn'),
  ]
  return [line('setTokenLimits', 'refundLimits'), line('setTokenLimitsDay', 'refundLimitsDay')]
}

function issueOf(given: Given, { about }: Scene) {
  const scopes = scopesOf(given)
  return { merchantId: about, scopes, ...(returnsMoney({ scopes }) && limitsOf(given)) }
}

const issue = setting<Present>({
  ...{ name: 'token_issue', needs: 'token issue', place: 'shop', group: 'setTokens', present },
  fields: () => [
    ...SCOPES.map((scope) => ({
      ...{ name: tickOf(scope), label: { as: scope } },
      ...{ kind: 'tick' as const, value: 'yes' },
    })),
    ...limitFields(null),
  ],
  check: (given) => ({
    ...(scopesOf(given).length === 0 && { [tickOf(SCOPES[0])]: 'setScopes' as const }),
    ...limitProblems(given),
  }),
  changes: (given, _present, { visit: { locale } }) => [
    ['setScopeList', null, scopesOf(given).join(', ')],
    ...(returnsMoney({ scopes: scopesOf(given) }) ? limitLines(locale, null, given) : []),
  ],
  guarded: (given, scene) => ({ name: 'token issue', args: issueOf(given, scene) }),
  async rehearse(ctx, given, scene) {
    const issuer = scene.visit.user
    await doOrRehearse(ctx, { dryRun: true }, (own) => issueToken(own, { ...issueOf(given, scene), issuer }))
    return []
  },
  async run(ctx, given, scene, person) {
    const decided = await doOrPropose(ctx, person, 'token issue', issueOf(given, scene))
    if ('proposed' in decided) return 'proposed'
    const { token, tokenId } = decided.done
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
  ...{ name: 'token_rotate', needs: 'token rotate', place: 'shop', group: 'setTokens', present },
  whyNot: ({ tokens }) => (tokens.some(({ revokedAt }) => !revokedAt) ? null : 'setTokensNone'),
  fields: (shown, scene) => [tokenField(working(shown, scene)), OVERLAP(scene)],
  blames: 'token',
  changes: ({ token = '', overlap }, _present, { visit: { locale } }) => [
    ['setTokenId', token, say(locale, 'setTokenNew')],
    ['setOverlap', null, say(locale, `overlap_${overlap as Overlap}`)],
  ],
  async run(ctx, { token = '', overlap }, _scene, person) {
    const made = await rotateToken(ctx, token, overlap as Overlap, person)
    return {
      secrets: [
        ['setTokenId', made.tokenId],
        ['setToken', made.token],
      ],
    }
  },
})

const returning = ({ tokens }: Present): Present => ({ tokens: tokens.filter(returnsMoney) })

const limitOf = (given: Given) => ({ tokenId: given.token ?? '', ...limitsOf(given) })

const limit = setting<Present>({
  ...{ name: 'token_limit', needs: 'token set', place: 'shop', group: 'setTokens', present },
  whyNot: ({ tokens }) =>
    tokens.some((each) => !each.revokedAt && returnsMoney(each)) ? null : 'setTokensNone',
  fields: (found, scene) => [tokenField(working(returning(found), scene)), ...limitFields(null)],
  check: limitProblems,
  blames: 'token',
  changes: (given, { tokens }, { visit: { locale } }) => {
    const now = tokens.find(({ id }) => id === given.token) ?? null
    return [['setTokenId', given.token ?? '', given.token ?? ''], ...limitLines(locale, now, given)]
  },
  guarded: (given) => ({ name: 'token set', args: limitOf(given) }),
  async rehearse(ctx, given, { visit: { user: issuer } }) {
    await doOrRehearse(ctx, { dryRun: true }, (own) => setTokenLimits(own, { ...limitOf(given), issuer }))
    return []
  },
  async run(ctx, given, _scene, person) {
    return 'proposed' in (await doOrPropose(ctx, person, 'token set', limitOf(given))) ? 'proposed' : 'done'
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
  async run(ctx, { token = '' }, _scene, person) {
    await revokeToken(ctx, token, person)
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
  async run(ctx, { token = '' }, _scene, person) {
    const { id, merchantId } = await revokeToken(ctx, token, person)
    return {
      told: 'setTokenRevoked',
      lines: [
        ['setTokenId', id],
        ['merchantId', merchantId],
      ],
    }
  },
})

export const TOKEN_ACTS: readonly SettingAct[] = [issue, rotate, limit, revoke, leaked]
