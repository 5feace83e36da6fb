/** What a second person, and whoever confirms an act, reads of a token. */
import type { Context } from '../../context.ts'
import { digestOf, type Fact, shopFact, textFact } from '../../operator/approvals/facts.ts'
import type { ReturnLimits } from '../../storage/access/users.ts'
import type { Queryable } from '../../storage/db.ts'
import { findToken } from '../../storage/merchants/api-keys.ts'

export async function tokenFacts(ctx: Context, name: 'token' | 'oldToken', tokenId: string): Promise<Fact[]> {
  const token = await findToken(ctx.db, tokenId)
  return [...textFact(name, tokenId), ...(await shopFact(ctx, token?.merchantId))]
}

export const limitsOf = ({ refundLimits, refundLimitsDay }: ReturnLimits): ReturnLimits => ({
  refundLimits,
  refundLimitsDay,
})

export async function limitsNow(db: Queryable, tokenId: string): Promise<ReturnLimits | null> {
  const token = await findToken(db, tokenId)
  return token && limitsOf(token)
}

/** A leaked token is never shown again, only its digest. */
export const revokedFacts = async (ctx: Context, idOrToken: string): Promise<Fact[]> =>
  idOrToken.startsWith('ksk_')
    ? [{ name: 'token', after: digestOf(idOrToken) }]
    : tokenFacts(ctx, 'token', idOrToken)
