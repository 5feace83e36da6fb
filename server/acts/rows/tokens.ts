/** The acts on API keys. With `operations.write` a token returns money, so giving it more is guarded. */

import type { Context } from '../../context.ts'
import {
  type ApiKeyRecord,
  getToken,
  issueToken,
  listTokens,
  makeToken,
  returnsMoney,
  revokeToken,
  rotateToken,
  SCOPES,
  tokenState,
} from '../../merchants/api-key.ts'
import { OVERLAP_DEFAULT, OVERLAPS } from '../../merchants/overlap.ts'
import { isRaised, limitsToGive, setTokenLimits } from '../../merchants/token-limits.ts'
import { expectSeen, versionOf } from '../../merchants/version.ts'
import { shopFact, textFact, wordFact } from '../../operator/approvals/facts.ts'
import { limitFacts } from '../../operator/approvals/person-facts.ts'
import { presentLimits } from '../../operator/merchant-overview.ts'
import { rehearsed } from '../../storage/rehearsal.ts'
import { type AnyRow, act, type Choice } from '../act.ts'
import { choice, limits, oneOf, secret, seen, severalOf, shop } from '../input.ts'
import { limitsNow, limitsOf, revokedFacts, tokenFacts } from './token-facts.ts'

type Current = { tokens: ApiKeyRecord[] }

/** Returns the tokens that still work, the newest first. */
async function working(ctx: Context, merchantId: string): Promise<Current> {
  const now = ctx.clock.now()
  const tokens = (await listTokens(ctx, merchantId)).filter((token) =>
    ['active', 'replaced'].includes(tokenState(token, now)),
  )
  return { tokens: tokens.toReversed() }
}

const choicesOf = ({ tokens }: Current): Choice[] =>
  tokens.map(({ id, createdAt }) => ({ id, at: createdAt }))
const unlessNone = ({ tokens }: Current) => (tokens.length > 0 ? null : 'acts.token.none')

/** What a shop's own token may do: read and create payments. */
const isOfShop = (scope: string) => scope === 'payments.read' || scope === 'payments.write'

export const issue = act('token issue', {
  merchantId: shop(),
  scopes: severalOf(SCOPES, { flag: 'scope', placeholder: 'S' }),
  refundLimits: limits({ flag: 'refundLimit' }),
  refundLimitsDay: limits({ flag: 'refundLimitDay' }),
})({
  place: 'shop',
  // Without scopes a token may do everything, and limits are only for a token that returns money.
  allowed: ({ role }, { scopes = [] }) => role !== 'shop' || (scopes.length > 0 && scopes.every(isOfShop)),
  current: working,
  shows: {
    merchantId: ({ ctx, args }) => shopFact(ctx, args.merchantId),
    scopes: ({ args: { scopes } }) =>
      scopes ? textFact('scopes', scopes.join(', ')) : wordFact('scopes', 'all'),
    refundLimits: ({ args: { refundLimits } }) =>
      refundLimits === undefined ? [] : limitFacts('refundLimit', refundLimits, refundLimits),
    refundLimitsDay: ({ args: { refundLimitsDay } }) =>
      refundLimitsDay === undefined ? [] : limitFacts('refundLimitDay', refundLimitsDay, refundLimitsDay),
  },
  secondPerson: {
    async stake(ctx, args, person) {
      const { merchantId, scopes = [...SCOPES] } = args
      const doer = { id: person?.id ?? null, isApproved: true }
      await rehearsed(ctx.db, (db) => issueToken({ ...ctx, db }, { ...args, doer }))
      const isMoney = returnsMoney({ scopes })
      // What the doer may return now is bound, so that the second person reads it.
      const given = isMoney ? await limitsToGive(ctx.db, doer, args) : {}
      return {
        money: null,
        merchantId,
        about: `${merchantId} ${scopes.join(', ')}`,
        args: { ...args, ...given },
        isFree: !isMoney,
      }
    },
    // A new token replaces nothing.
    hasMoved: async () => false,
    opens: {
      make: async (ctx, { merchantId }) => ({ kind: 'token', text: makeToken(ctx, merchantId), merchantId }),
    },
  },
  run: (ctx, given, doer, token) => issueToken(ctx, { ...given, doer }, { token }),
  async result(ctx, { token, tokenId }, { merchantId }) {
    const record = await getToken(ctx, tokenId)
    const { scopes } = record
    return {
      facts: {
        tokenId,
        merchantId,
        world: ctx.world,
        scopes,
        ...(returnsMoney(record) && presentLimits(record)),
      },
      shownOnce: { token },
    }
  },
  tells: ['tokenId'],
  helpExamples: [
    '--merchant mer_01...',
    '--merchant mer_01... --scope payments.read payments.write',
    '--merchant mer_01... --refund-limit "100.00 USD" --refund-limit-day "500.00 USD"',
  ],
  examples: async ({ merchantId, limits: [low, high] }) => [
    { merchantId, scopes: ['payments.read', 'payments.write'] },
    { merchantId, scopes: ['operations.write'], refundLimits: low, refundLimitsDay: high },
  ],
})

export const set = act('token set', {
  tokenId: choice({ flag: 'token', placeholder: 'ID' }),
  refundLimits: limits({ flag: 'refundLimit' }),
  refundLimitsDay: limits({ flag: 'refundLimitDay' }),
  seen: seen(),
})({
  place: 'shop',
  async current(ctx, merchantId) {
    const { tokens } = await working(ctx, merchantId)
    return { tokens: tokens.filter(returnsMoney) }
  },
  notNow: unlessNone,
  choices: { tokenId: choicesOf },
  blames: 'tokenId',
  shows: {
    tokenId: ({ ctx, args }) => tokenFacts(ctx, 'token', args.tokenId),
    refundLimits: async ({ ctx, args: { tokenId, refundLimits = null } }) =>
      limitFacts('refundLimit', (await limitsNow(ctx.db, tokenId))?.refundLimits ?? null, refundLimits),
    refundLimitsDay: async ({ ctx, args: { tokenId, refundLimitsDay = null } }) =>
      limitFacts(
        'refundLimitDay',
        (await limitsNow(ctx.db, tokenId))?.refundLimitsDay ?? null,
        refundLimitsDay,
      ),
    seen: 'bound',
  },
  secondPerson: {
    async stake(ctx, args, person) {
      const { tokenId } = args
      const doer = { id: person?.id ?? null, isApproved: true }
      const { token, before } = await rehearsed(ctx.db, (db) =>
        setTokenLimits({ ...ctx, db }, { ...args, doer }),
      )
      return {
        money: null,
        merchantId: token.merchantId,
        about: tokenId,
        args: { ...args, ...limitsOf(token), seen: args.seen ?? versionOf(limitsOf(before)) },
        isFree: !isRaised(before, token),
      }
    },
    hasMoved: async (ctx, args) =>
      args.seen !== undefined && args.seen !== versionOf(await limitsNow(ctx.db, args.tokenId)),
  },
  run: (ctx, { seen: bound, ...given }, doer) =>
    setTokenLimits(ctx, {
      ...given,
      doer,
      expect(before) {
        if (bound !== undefined) expectSeen(limitsOf(before), bound)
      },
    }),
  result: async (_ctx, { token }) => ({
    facts: { tokenId: token.id, merchantId: token.merchantId, ...presentLimits(token) },
  }),
  helpExamples: ['--token tok_01... --refund-limit "100.00 USD" --refund-limit-day "500.00 USD"'],
  async examples({ token, limits: [low, high] }) {
    const [unlimited, limited] = [await token(), await token({ refundLimits: low })]
    return [
      { tokenId: unlimited.tokenId, refundLimits: low, refundLimitsDay: high },
      { tokenId: limited.tokenId, refundLimits: high },
      { tokenId: (await token({ refundLimits: low })).tokenId, refundLimits: null },
    ]
  },
})

export const rotate = act('token rotate', {
  tokenId: choice({ flag: 'token', placeholder: 'ID' }),
  overlap: oneOf(OVERLAPS, { preset: OVERLAP_DEFAULT, placeholder: 'T', words: 'overlap' }),
})({
  place: 'shop',
  current: working,
  notNow: unlessNone,
  choices: { tokenId: choicesOf },
  blames: 'tokenId',
  shows: {
    tokenId: ({ ctx, args }) => tokenFacts(ctx, 'oldToken', args.tokenId),
    overlap: ({ args }) => wordFact('tokenOverlap', `overlap_${args.overlap}`),
  },
  run: (ctx, { tokenId, overlap }, doer) => rotateToken(ctx, tokenId, overlap, doer),
  result: async ({ world }, { token, tokenId, old: { id, merchantId, scopes, expiresAt } }) => ({
    facts: { tokenId, merchantId, world, scopes, oldTokenId: id, oldUntil: expiresAt },
    shownOnce: { token },
  }),
  tells: ['tokenId'],
  helpExamples: ['--token tok_01...', '--token tok_01... --overlap 7d', '--token tok_01... --overlap 0'],
  async examples({ token }) {
    const { tokenId } = await token()
    return [{ tokenId, overlap: '1h' }]
  },
})

const revoked = async (_ctx: Context, { id, merchantId, revokedAt }: ApiKeyRecord) => ({
  facts: { tokenId: id, merchantId, revokedAt },
})

/** The command accepts a leaked token itself too. In the console it has a form of its own. */
export const revoke = act('token revoke', { token: choice({ placeholder: 'ID' }) })({
  place: 'shop',
  current: working,
  notNow: unlessNone,
  choices: { token: choicesOf },
  blames: 'token',
  shows: { token: ({ ctx, args }) => revokedFacts(ctx, args.token) },
  run: (ctx, { token }, doer) => revokeToken(ctx, token, doer),
  result: revoked,
  helpExamples: ['--token tok_01...'],
  async examples({ token }) {
    const { tokenId } = await token()
    return [{ token: tokenId }]
  },
})

/** Whoever has found a token somewhere does not know whose it is. */
export const revokeLeaked = act('token revoke', { token: secret({ startsWith: 'ksk_' }) })({
  form: 'token-leaked',
  formNeeds: 'token rotate',
  place: 'deployment',
  blames: 'token',
  shows: { token: ({ ctx, args }) => revokedFacts(ctx, args.token) },
  run: (ctx, { token }, doer) => revokeToken(ctx, token, doer),
  result: revoked,
  tells: ['tokenId', 'merchantId'],
  helpExamples: [],
  async examples(scene) {
    const { token } = await scene.token()
    return [{ token }]
  },
})

export const TOKEN_ACTS: readonly AnyRow[] = [issue, rotate, set, revoke, revokeLeaked]
