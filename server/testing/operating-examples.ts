/** What the screens for operators of the deployment show of a shop: one thing for each parameter of their addresses. */
import { createHash } from 'node:crypto'
import { setAccount } from '../accounts/set.ts'
import { addOperator } from '../audit/people.ts'
import type { Context } from '../context.ts'
import { newSharedId } from '../id.ts'
import { listEventPage } from '../operator/event-history.ts'
import { keepUpload } from '../reports/uploads.ts'
import { insertProposal } from '../storage/audit/proposals.ts'
import { inTransaction } from '../storage/db.ts'
import { beginStatementFile } from '../storage/reports/files.ts'
import { createSession, payAtBank, sessionRequest } from './calls.ts'
import type { Shop } from './harness.ts'
import { createSubscription, openToken, subscriptionRequest } from './payments/subscriptions.ts'

const DAY_MS = 86_400_000
const STATEMENT = Buffer.from('Date,Amount,Currency\n2026-11-28,1.50,USD\n')

/** By the part of the address before the parameter, and the parameter. */
export async function operatingExamples(
  ctx: Context,
  url: string,
  shop: Shop,
): Promise<Record<string, string>> {
  const { merchantId } = shop
  const body = sessionRequest({ merchantOrderId: `open-${merchantId}` })
  const { body: session } = await createSession(url, shop, { key: 'open', body })
  await payAtBank(session.providerCheckoutUrl, 'unknown')
  const tokenId = await openToken(url, shop)
  const { body: made } = await createSubscription(url, shop, { body: subscriptionRequest(tokenId) })
  const { events } = await listEventPage(ctx, { merchantId, limit: 1 })
  const written = { CUSTOMER: `example-${merchantId}`, SECRET: 'a secret that no page shows' }
  const wanted = { merchantId, route: 'route_b', driver: 'sandbox', currencies: undefined, written } as const
  const { accountId } = await setAccount(ctx, wanted)
  const digest = createHash('sha256').update(merchantId).digest('hex')
  const at = ctx.clock.now()
  const file = { digest, lines: 1, fromAt: at, untilAt: at, reading: 'example' }
  await beginStatementFile(ctx.db, accountId, file, at)
  return {
    'files/:digest': digest,
    'uploads/:upload': await keepUpload(ctx, accountId, STATEMENT),
    ':kind/:case': session.id,
    'approvals/:approval': await propose(ctx, merchantId),
    'events/:event': events[0]?.id ?? '',
    'subscriptions/:subscription': made.subscription.id,
    'accounts/:account': accountId,
  }
}

async function propose(ctx: Context, merchantId: string): Promise<string> {
  const { operator } = await addOperator(ctx, { name: `Proposer ${merchantId}`, role: 'administrator' })
  const proposedAt = new Date()
  const id = newSharedId('apr', proposedAt)
  const args = JSON.stringify({ merchantId, url: 'https://shop.example/a' })
  const sealed = ctx.vault.seal(args, [ctx.world, id, 'proposal'])
  const times = { proposedAt, expiresAt: new Date(proposedAt.getTime() + DAY_MS) }
  const record = { id, what: 'callback set', about: 'an address', merchantId, proposedBy: operator.id }
  const money = { amountMinor: null, currency: null }
  await inTransaction(ctx.db, (tx) => insertProposal(tx, { ...record, ...times, ...money, ...sealed }))
  return id
}
