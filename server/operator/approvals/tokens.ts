/** The guarded acts on tokens: whoever has one with the scope for operations returns money by the API. */
import {
  getToken,
  issueToken,
  makeToken,
  type NewToken,
  returnsMoney,
  SCOPES,
} from '../../merchants/api-key.ts'
import { isRaised, type LimitWish, limitsToGive, setTokenLimits } from '../../merchants/token-limits.ts'
import { expectSeen, versionOf } from '../../merchants/version.ts'
import type { ReturnLimits } from '../../storage/access/users.ts'
import type { Queryable } from '../../storage/db.ts'
import { findToken } from '../../storage/merchants/api-keys.ts'
import { rehearsed } from '../../storage/rehearsal.ts'
import { shopFact, textFact } from './facts.ts'
import { limitFacts } from './person-facts.ts'
import type { Guarded, Secret } from './stake.ts'

type Issuing = Omit<NewToken, 'issuer'>
/** `seen`: the token as the proposer saw it. */
type Limiting = LimitWish & { tokenId: string; seen?: string }

const issue: Guarded<Issuing, Awaited<ReturnType<typeof issueToken>>> = {
  async stake(ctx, args, person) {
    const { merchantId, scopes = [...SCOPES] } = args
    const issuer = { id: person?.id ?? null, isApproved: true }
    await rehearsed(ctx.db, (db) => issueToken({ ...ctx, db }, { ...args, issuer }))
    const isMoney = returnsMoney({ scopes })
    // What the issuer may return now is bound, so that the second person reads it.
    const limits = isMoney ? await limitsToGive(ctx.db, issuer, args) : {}
    return {
      money: null,
      merchantId,
      about: `${merchantId} ${args.scopes?.join(', ') ?? 'all scopes'}`,
      args: { ...args, ...limits },
      isFree: !isMoney,
    }
  },
  // A new token replaces nothing.
  hasMoved: async () => false,
  shows: {
    merchantId: ({ ctx, args }) => shopFact(ctx, args.merchantId),
    scopes: ({ args }) => [
      { name: 'scopes', after: args.scopes ? { text: args.scopes.join(', ') } : { word: 'all' } },
    ],
    refundLimits: ({ args: { refundLimits = null } }) =>
      limitFacts('refundLimit', refundLimits, refundLimits),
    refundLimitsDay: ({ args: { refundLimitsDay = null } }) =>
      limitFacts('refundLimitDay', refundLimitsDay, refundLimitsDay),
  },
  opens: {
    make: async (ctx, { merchantId }): Promise<Secret> => ({
      kind: 'token',
      text: makeToken(ctx, merchantId),
      merchantId,
    }),
  },
  run: (ctx, args, _actor, issuer, secret) => issueToken(ctx, { ...args, issuer }, { token: secret }),
}

const limitsOf = ({ refundLimits, refundLimitsDay }: ReturnLimits): ReturnLimits => ({
  refundLimits,
  refundLimitsDay,
})

async function limitsNow(db: Queryable, tokenId: string): Promise<ReturnLimits | null> {
  const token = await findToken(db, tokenId)
  return token && limitsOf(token)
}

const limit: Guarded<Limiting, Awaited<ReturnType<typeof setTokenLimits>>> = {
  async stake(ctx, args, person) {
    const { tokenId } = args
    const issuer = { id: person?.id ?? null, isApproved: true }
    const { token, before } = await rehearsed(ctx.db, (db) =>
      setTokenLimits({ ...ctx, db }, { ...args, issuer }),
    )
    return {
      money: null,
      merchantId: token.merchantId,
      about: tokenId,
      args: { ...args, ...limitsOf(token), seen: args.seen ?? versionOf(limitsOf(before)) },
      isFree: !isRaised(before, token),
    }
  },
  hasMoved: async (ctx, { tokenId, seen }) =>
    seen !== undefined && seen !== versionOf(await limitsNow(ctx.db, tokenId)),
  shows: {
    async tokenId({ ctx, args }) {
      const token = await findToken(ctx.db, args.tokenId)
      return [...textFact('token', args.tokenId), ...(await shopFact(ctx, token?.merchantId))]
    },
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
  async run(ctx, { seen, ...args }, _actor, issuer) {
    if (seen !== undefined) expectSeen(limitsOf(await getToken(ctx, args.tokenId)), seen)
    return setTokenLimits(ctx, { ...args, issuer })
  },
}

export const GUARDED_TOKENS = { 'token issue': issue, 'token set': limit }
