/** What the examples of the table of acts are about: a shop of their own. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addUser } from '../../access/users.ts'
import { allowAccount } from '../../accounts/manage.ts'
import { setAccount } from '../../accounts/set.ts'
import type { Scene } from '../../acts/scene.ts'
import type { UserRole } from '../../audit/people.ts'
import { newId } from '../../id.ts'
import { issueToken } from '../../merchants/api-key.ts'
import { createInstallation } from '../../merchants/installation.ts'
import { setMerchantState } from '../../merchants/merchant.ts'
import { addOrigin, approveOrigin } from '../../merchants/origin.ts'
import type { LimitChanges } from '../../merchants/token-limits.ts'
import { actOnMoney } from '../../operator/acts/money.ts'
import { proposeAlways } from '../../operator/approvals/approvals.ts'
import { listEventPage } from '../../operator/event-history.ts'
import { askReview } from '../../operator/shop/reviews.ts'
import { workOnDue } from '../../orders/work.ts'
import { confirmPayment } from '../../payments/decisions/payment.ts'
import { setCallback } from '../../receivers/receiver.ts'
import { rotateWebhookSecret } from '../../receivers/secret.ts'
import { storeLimit } from '../../storage/audit/proposals.ts'
import { inTransaction } from '../../storage/db.ts'
import { insertNotice } from '../../storage/mails/mails.ts'
import { storeOrderPayment } from '../../storage/orders/payments.ts'
import { noteRefundRefusal } from '../../storage/returns/refund-refusals.ts'
import { createSession, payAtBank, sessionRequest } from '../calls.ts'
import { type Kassa, openShop, type Shop } from '../harness.ts'
import { operateHere } from '../operator.ts'
import { storeShortAddress } from '../pages/short-address.ts'
import { openFiscalShop } from '../payments/fiscal-shop.ts'
import { createSubscription, openToken, subscriptionRequest } from '../payments/subscriptions.ts'
import { carefulStatus, startReceiver } from '../receiver.ts'

const HOUR_MS = 3_600_000

type Pay = (provider: string, how?: { comesBack: boolean }) => Promise<string>
type Place = { kassa: Kassa; shop: Shop }

/** `limitMinor`: from which amount in USD a second person is needed. */
export async function openScene(
  kassa: Kassa,
  { limitMinor = null }: { limitMinor?: number | null } = {},
): Promise<Scene> {
  const { ctx, url } = kassa
  const shop = await openShop(ctx)
  const { merchantId } = shop
  let orders = 0
  const pay: Pay = async (provider, how = { comesBack: true }) => {
    const key = `scene-${++orders}`
    const body = sessionRequest({ merchantOrderId: key, amountMinor: 1_900, currency: 'USD', provider })
    const { body: session } = await createSession(url, shop, { key, body })
    if (provider !== 'manual') await payAtBank(session.providerCheckoutUrl, 'paid', how)
    return session.id
  }
  await inTransaction(ctx.db, (tx) => storeLimit(tx, 'USD', limitMinor))
  // Of the examples before, so that nothing waits here.
  await ctx.db.query('update sandbox.restores set ended_at = now() where ended_at is null')
  const place = { kassa, shop }
  return {
    merchantId,
    limits: [{ USD: 10_000 }, { USD: 50_000 }],
    ...moneyOf(place, pay),
    ...settingsOf(place, pay),
    ...upkeepOf(place),
  }
}

/** What belongs to payments and to what buyers have agreed to. */
function moneyOf({ kassa, shop }: Place, pay: Pay) {
  const { ctx, url } = kassa
  const { merchantId } = shop
  return {
    paid: () => pay('route_a'),
    paidSilently: () => pay('route_a', { comesBack: false }),
    held: () => pay('route_b'),
    async byHand({ isPaid }: { isPaid: boolean } = { isPaid: false }) {
      const id = await pay('manual')
      if (isPaid) await confirmPayment(ctx, id, { actor: 'Ani', reference: `IN ${id}` })
      return id
    },
    async undecided() {
      const given = { paymentId: await pay('route_a'), amountMinor: 500, why: 'a crack' }
      const { operation } = await actOnMoney(ctx, 'refund', given, 'Ani')
      return leaveUndecided(ctx, operation.id)
    },
    savedMethod: () => openToken(url, shop),
    async buyer() {
      const email = `${merchantId.replaceAll('_', '-')}@buyer.example`
      const body = sessionRequest({ merchantOrderId: 'of the buyer', customer: { email } })
      await createSession(url, shop, { key: 'of the buyer', body })
      return email
    },
    async subscription() {
      const body = subscriptionRequest(await openToken(url, shop))
      return (await createSubscription(url, shop, { body })).body.subscription.id
    },
    async stuckReceipt() {
      const fiscal = await openFiscalShop(kassa)
      const paymentId = await fiscal.pay('route_a', { metadata: { sandboxFault: 'receipt_fails_once' } })
      await fiscal.print()
      const [receipt] = await fiscal.receipts(paymentId)
      return { paymentId, receiptId: receipt?.id ?? '' }
    },
    async warned() {
      const id = await pay('route_a')
      const warn =
        'insert into sandbox.payment_warnings (merchant_id, payment_id, detail, created_at) values ($1, $2, $3, now())'
      await ctx.db.query(warn, [merchantId, id, 'The provider reports more than was paid.'])
      return id
    },
    async refusedToken() {
      const { tokenId } = await issueToken(ctx, { merchantId })
      const refused = { merchantId, tokenId, paymentId: await pay('route_a'), amountMinor: 500 }
      await noteRefundRefusal(ctx.db, { ...refused, currency: 'USD' }, ctx.clock.now())
      return tokenId
    },
  }
}

/** What belongs to a shop. */
function settingsOf({ kassa, shop }: Place, pay: Pay) {
  const { ctx } = kassa
  const { merchantId } = shop
  let customers = 0
  const contract = () => ({
    CUSTOMER: `${merchantId.replaceAll('_', '-')}-${++customers}`,
    SECRET: 'a secret of nobody',
  })
  return {
    rotateSecret: () => rotateWebhookSecret(ctx, merchantId, '7d'),
    async account() {
      const wanted = { merchantId, route: 'route_a', driver: 'sandbox', currencies: undefined } as const
      return (await setAccount(ctx, { ...wanted, written: contract() })).accountId
    },
    contract,
    async sharedAccount({ allowed }: { allowed: boolean }) {
      const { id: accountId } = ctx.routes.route_e
      await allowAccount(ctx, { accountId, merchantId, allowed })
      return accountId
    },
    order: () => bookOrder(ctx, merchantId),
    addressToReview: () => askReview(ctx, merchantId, 'https://asked.example'),
    async shortAddress() {
      const name = `tea-${merchantId.slice(-8)}`
      await storeShortAddress(ctx.db, shop, { name })
      return name
    },
    receiver: () => receiveFor(kassa, shop),
    statement: () => compareStatement(ctx),
    async sentEvent() {
      await receiveFor(kassa, shop)
      const sentAt = new Date(ctx.clock.now().getTime() - HOUR_MS)
      const paymentId = await pay('route_a')
      const [event] = (await listEventPage(ctx, { paymentId, limit: 1 })).events
      return { eventId: event?.id ?? '', paymentId, sentAt }
    },
    stop: () => setMerchantState(ctx, merchantId, { state: 'paused' }),
    async origin() {
      const origin = 'https://office.example'
      await addOrigin(ctx, merchantId, origin)
      await approveOrigin(ctx, merchantId, origin)
      return origin
    },
    installation: async (origins = ['https://one.example', 'https://two.example']) =>
      (await createInstallation(ctx, { merchantId, origins })).id,
    token: (limits?: LimitChanges) => issueToken(ctx, { merchantId, ...limits }),
  }
}

/** What belongs to the deployment: people, mails, and what waits. */
function upkeepOf({ kassa: { ctx }, shop: { merchantId } }: Place) {
  let people = 0
  const email = () => `${merchantId.replaceAll('_', '-')}.${++people}@pay.example`
  async function person(role: UserRole): Promise<string> {
    const own = role === 'shop' || role === 'cashier' ? merchantId : null
    const name = `${role} ${merchantId.slice(-12)}`
    return (await addUser(ctx, { name, role, email: email(), merchantId: own })).operator.id
  }
  return {
    async failedMail() {
      const now = ctx.clock.now()
      const id = newId(ctx.world, 'mal', merchantId, now)
      const notice = { merchantId, id, kind: 'order_test', notice: {}, createdAt: now } as const
      await inTransaction(ctx.db, (tx) => insertNotice(tx, notice))
      const fail = "update sandbox.mails set state = 'failed', ended_at = now(), due_at = null where id = $1"
      await ctx.db.query(fail, [id])
      return id
    },
    restored: () =>
      ctx.db.query(
        'insert into sandbox.restores (restored_at, backup_at, skipped_numbers) select now(), now(), 0',
      ),
    email,
    person,
    async proposal() {
      const id = await person('operator')
      const args = { merchantId, overlap: '24h' } as const
      const waiting = { args, lastsMs: 3_600_000, makeRoom: async () => null }
      return (await proposeAlways(ctx, { id, name: 'A colleague' }, 'callback rotate-secret', waiting)).id
    },
  }
}

/** One receiver for the shops of all scenes. It accepts what is signed with the secret of one of them. */
const RECEIVERS = new WeakMap<Kassa, { url: Promise<string>; secrets: string[] }>()

async function receiveFor(kassa: Kassa, { merchantId, webhookSecret }: Shop): Promise<void> {
  const { ctx } = kassa
  const secrets: string[] = []
  const known = RECEIVERS.get(kassa) ?? {
    url: startReceiver((_, each) => carefulStatus(each, secrets, new Date())).then(({ url }) => url),
    secrets,
  }
  RECEIVERS.set(kassa, known)
  known.secrets.push(webhookSecret)
  await setCallback(ctx, merchantId, await known.url)
}

let statements = 0

/** Compares a statement of route_a with one movement that the books do not have. */
async function compareStatement(ctx: Kassa['ctx']) {
  const { id: accountId } = ctx.routes.route_a
  const folder = await mkdtemp(join(tmpdir(), 'kassa-statement-'))
  const file = join(folder, 'statement.csv')
  await writeFile(file, `Day,Sum\n2026-01-02,${++statements}.00\n`)
  const account = ['--account', accountId]
  const run = async (...words: string[]) =>
    JSON.parse((await operateHere(async () => ctx, [...words, '--json'])).stdout)
  await run('reconcile', 'format', ...account, '--currency', 'USD', '--column', 'at=Day', 'amount=Sum')
  const { statement, open } = await run('reconcile', ...account, '--file', file)
  await rm(folder, { recursive: true })
  return { accountId, statement, differenceId: open[0].id }
}

/** Puts a paid order into the order book of a shop. Returns its reference. */
export async function bookOrder(ctx: Kassa['ctx'], merchantId: string): Promise<string> {
  const eventAt = ctx.clock.now()
  const paymentId = newId(ctx.world, 'pay', merchantId, eventAt)
  const reference = `order of ${paymentId}`
  const payment = {
    merchantId,
    paymentId,
    reference,
    sequence: 1,
    amountMinor: 1_900,
    capturedMinor: 1_900,
    refundedMinor: 0,
    currency: 'USD',
    status: 'paid',
    buyer: null,
    takenBack: false,
    eventAt,
  } as const
  await storeOrderPayment(ctx.db, payment, eventAt)
  await workOnDue(ctx)
  return reference
}

/** What a lost answer of the bank leaves. */
async function leaveUndecided({ db }: Kassa['ctx'], id: string): Promise<string> {
  await db.query(
    `update sandbox.operations set status = 'processing', snapshot_before = '{}', sent_at = now() where id = $1`,
    [id],
  )
  await db.query(
    `update sandbox.operations set status = 'requires_operator_review', due_at = null where id = $1`,
    [id],
  )
  return id
}
