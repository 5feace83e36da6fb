/** What operators and other people decide, rightly and wrongly. */
import { rotateAccount } from '../../accounts/set.ts'
import { askIdentity } from '../../operator/account-identity.ts'
import { resolveOperation } from '../../payments/decisions/operation.ts'
import { confirmPayment, resolvePayment } from '../../payments/decisions/payment.ts'
import { resolveReceipt } from '../../payments/decisions/receipt.ts'
import { call, createSession, sessionRequest } from '../calls.ts'
import { type History, moneyOrder, type Sale } from './history.ts'
import { expectedOf } from './standing.ts'
import { stripeKeyOf } from './stripe-desk.ts'
import { setOwnAccount } from './world.ts'

/** The version of a payment as a person sees it before deciding. */
export async function versionOf(
  { world }: History,
  id: string,
): Promise<{ version: number; status: string; taken: number }> {
  const sql = 'select version, status, captured_minor::int as taken from sandbox.payments where id = $1'
  const { rows } = await world.look.query(sql, [id])
  return rows[0] ?? { version: -1, status: '', taken: 0 }
}

/** A person decides about an operation in review: rightly, wrongly, twice, or about an old version. */
export async function resolveAny(history: History, sale: Sale, size: number): Promise<void> {
  const { look, ctx } = history.world
  const { rows } = await look.query<{ id: string }>(
    `select id from sandbox.operations where payment_id = $1 and status = 'requires_operator_review'`,
    [sale.id],
  )
  const { version } = await versionOf(history, sale.id)
  const decision = { actor: 'tester', why: null, version: size % 5 === 0 ? version - 1 : version }
  for (const { id } of rows) {
    const as = size % 2 === 0 ? ('succeeded' as const) : ('failed' as const)
    const outcome = await resolveOperation(ctx, id, as, decision).then(
      () => 'stored',
      (error: Error) => error.message,
    )
    history.lines.push(`  a person: ${id} ${as}: ${outcome}`)
    if (size % 3 === 0) await resolveOperation(ctx, id, as, decision).catch(() => {})
    if (outcome === 'stored' && decision.version !== version)
      history.faults.push(`a decision about an old version of ${sale.id} was stored`)
  }
}

/** A person decides about a payment with an unknown outcome. */
export async function judge(
  history: History,
  sale: Sale,
  how: 'wrong' | null,
  as?: 'paid' | 'refunded',
): Promise<void> {
  const { version, status, taken: accepts } = await versionOf(history, sale.id)
  if (status !== 'status_unknown') return
  const found = await moneyOrder(history, sale)
  const truth = found && expectedOf(found.order).status
  const wanted =
    as ?? (how === 'wrong' ? 'refunded' : truth === 'partially_refunded' ? 'paid' : (truth ?? 'expired'))
  const decision = { actor: 'tester', why: null, version, accepts }
  const stored = await resolvePayment(history.world.ctx, sale.id, wanted as 'paid', decision).then(
    ({ payment }) => payment.version,
    () => null,
  )
  history.lines.push(`  a person: ${sale.id} is ${wanted}: ${stored === null ? 'refused' : 'stored'}`)
  if (stored === null) return
  if (stored !== version + 1)
    history.faults.push(`a decision about version ${version} of ${sale.id} made version ${stored} of it`)
  history.decisions.push({ id: sale.id, version, as: wanted })
  const isRight = truth !== null && wanted === truth
  if (!isRight) sale.isMisjudged = true
}

/** Money that arrived on an account is confirmed by hand. Returns how many payments this reference has confirmed. */
export async function confirmByHand(history: History, size: number): Promise<void> {
  const { kassa, sellers, ctx } = history.world
  const own = `AB ${history.keys + 12}-34`
  const bare = own.replace(' ', '')
  const forms = [own, own.toLowerCase(), bare, ` ${bare.toLowerCase()} `, own.replace(' ', '\u00a0')]
  let confirmed = 0
  for (const index of [0, 1]) {
    const key = `manual-${++history.keys}`
    const body = sessionRequest({ merchantOrderId: key, provider: 'manual' })
    const created = await createSession(kassa.url, sellers[0].shop, { key, body })
    const reference = forms[(size + index) % forms.length] ?? own
    const answer = await confirmPayment(ctx, created.body.id, { reference, actor: 'tester' }).catch(
      () => null,
    )
    if (answer?.confirmed) confirmed++
  }
  if (confirmed !== 1) history.faults.push(`one bank reference confirmed ${confirmed} payments`)
}

/** The second merchant's account cannot be opened any more, and later it is set again. */
export async function breakOwnAccount(history: History, isBroken: boolean): Promise<void> {
  const { look, ctx, sellers } = history.world
  const own = sellers[1]
  if (!isBroken && !own.isBroken) return
  if (isBroken) own.isBroken = true
  if (isBroken)
    await look.query(
      `update sandbox.account_credentials set sealed = decode(repeat('00', 64), 'hex') where account_id = $1`,
      [own.accountId],
    )
  else await setOwnAccount(history.world, own)
  await look.query('update sandbox.accounts set version = version + 1 where id = $1', [own.accountId])
  ctx.accounts.forget()
}

/** An operator mistakes the key of another Stripe account for that of the merchant's. */
export async function rotateWrongly(history: History): Promise<void> {
  const { ctx, sellers } = history.world
  const confirm = async (account: Parameters<typeof askIdentity>[1]) => {
    const found = await askIdentity(ctx, account)
    if (found.kind !== 'own') throw new Error(`these are credentials of ${found.kind}`)
  }
  sellers[1].isBroken = true
  await rotateAccount(ctx, sellers[1].accountId ?? '', { SECRET_KEY: stripeKeyOf('one') }, confirm).then(
    () => history.lines.push('  the key of another account was accepted'),
    () => {},
  )
}

/** A person looks at receipts that failed or are unclear, and has seen at the register what was printed. */
export async function resolveReceipts(history: History): Promise<void> {
  const { look, ctx } = history.world
  const { rows } = await look.query<{ id: string; number: string | null }>(
    `select r.id, (select s.number::text from sandbox.sandbox_receipts s where s.reference = r.id and s.number is not null limit 1) as number
     from sandbox.receipts r where r.status in ('failed', 'unclear')`,
  )
  for (const { id, number } of rows) {
    const outcome = number === null ? { as: 'failed' as const } : { as: 'issued' as const, number }
    await resolveReceipt(ctx, id, outcome, { actor: 'tester', why: null }).catch(() => {})
  }
}

/** The merchants ask for the receipts again that failed, also those of renewals. */
export async function retryReceipts(history: History): Promise<void> {
  const { kassa, look, sellers } = history.world
  const { rows } = await look.query<{ id: string; owner: string }>(
    `select id, merchant_id as owner from sandbox.payments where fiscal_status in ('failed', 'correction_required')`,
  )
  for (const { id, owner } of rows) {
    const { shop } = sellers.find((each) => each.shop.merchantId === owner) ?? sellers[0]
    await call(`${kassa.url}/v1/fiscal-receipts/${id}/retry`, {
      headers: { authorization: `Bearer ${shop.token}`, 'idempotency-key': `retry-${++history.keys}` },
    })
  }
}
