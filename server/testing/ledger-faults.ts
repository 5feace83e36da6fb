/** Checks the invariants of a merchant's payments in the database and in the bank's records. */
import type { Kassa } from './harness.ts'
import type { Ledger } from './ledger-bank.ts'

/** Each query returns the rows that are wrong. `$1`: the merchant. */
const ALWAYS: Record<string, string> = {
  'money is conserved': `
    select id, authorized_minor, captured_minor, refunded_minor, refund_reserved_minor from sandbox.payments where merchant_id = $1
      and not (0 <= refunded_minor and refunded_minor + refund_reserved_minor <= captured_minor
        and captured_minor <= authorized_minor and authorized_minor <= amount_minor)`,
  'what is set aside is what undecided refunds ask for': `
    select p.id, refund_reserved_minor, coalesce(sum(o.amount_minor), 0) as asked from sandbox.payments p
      left join sandbox.operations o on o.merchant_id = p.merchant_id and o.payment_id = p.id and o.type = 'refund'
        and o.status in ('queued', 'processing', 'requires_operator_review')
      where p.merchant_id = $1 group by p.id, refund_reserved_minor
      having refund_reserved_minor <> coalesce(sum(o.amount_minor), 0)`,
  'each version has one change, along the table, from where the last one ended': `
    select c.payment_id, c.version, c.from_status, c.to_status from sandbox.payment_changes c
      left join sandbox.payment_changes b on b.merchant_id = c.merchant_id and b.payment_id = c.payment_id and b.version = c.version - 1
      left join sandbox.payment_transitions t on t.from_status = c.from_status and t.to_status = c.to_status
      where c.merchant_id = $1
        and (t.from_status is null or c.from_status <> coalesce(b.to_status, 'created'))`,
  'a payment is at the version and status of its last change': `
    select p.id, p.version, p.status from sandbox.payments p
      left join sandbox.payment_changes c on c.merchant_id = p.merchant_id and c.payment_id = p.id and c.version = p.version
      where p.merchant_id = $1 and not (p.version = 0 and p.status = 'created')
        and (c.to_status is null or c.to_status <> p.status)`,
  'each change has one event, and each event a change': `
    select coalesce(c.payment_id, e.payment_id) as payment, c.version, c.to_status, e.status from
      (select *, row_number() over (partition by payment_id order by version) as sequence from sandbox.payment_changes where merchant_id = $1 and to_status not in ('created', 'pending_redirect')) c
      full join (select * from sandbox.events where merchant_id = $1) e
        on e.payment_id = c.payment_id and e.sequence = c.sequence
      where c.version is null or e.sequence is null or e.status <> c.to_status`,
  'paid, held or given back is only the whole amount, or what a capture of ours asked for': `
    select id, status, amount_minor, authorized_minor, captured_minor from sandbox.payments p where merchant_id = $1
      and (status = 'authorized' and authorized_minor <> amount_minor
        or status in ('paid', 'partially_refunded', 'refunded', 'disputed') and captured_minor <> amount_minor
          and not exists (select from sandbox.operations o where o.merchant_id = p.merchant_id and o.payment_id = p.id
            and o.type = 'capture' and o.told_at is not null and o.amount_minor = p.captured_minor))`,
  'what was refunded falls only by the provider’s word, and to paid or partially_refunded': `
    select * from (
      select e.payment_id, e.status, c.cause, (e.body::jsonb #>> '{payment,refundedMinor}')::bigint as refunded,
        lag((e.body::jsonb #>> '{payment,refundedMinor}')::bigint) over (partition by e.payment_id order by e.sequence) as before
      from sandbox.events e join (select *, row_number() over (partition by payment_id order by version) as sequence
        from sandbox.payment_changes where merchant_id = $1 and to_status not in ('created', 'pending_redirect')) c
        on c.payment_id = e.payment_id and c.sequence = e.sequence where e.merchant_id = $1) each
      where refunded < before and not (cause = 'provider' and status in ('paid', 'partially_refunded'))`,
  'one operation at work on a payment': `
    select payment_id from sandbox.operations where merchant_id = $1 and status in ('processing', 'requires_operator_review')
      and type in ('refund', 'capture', 'void') group by payment_id having count(*) > 1`,
  'one receipt for a payment': `
    select payment_id from sandbox.receipts where merchant_id = $1 and kind = 'sale' group by payment_id having count(*) > 1`,
}

/** What is due is done: nothing hangs between the states that end. */
const AT_REST: Record<string, string> = {
  'no operation is under way, but behind one that waits for a person': `
    select id, type, status, status_reason from sandbox.operations o where merchant_id = $1 and status in ('queued', 'processing')
      and not exists (select from sandbox.operations r where r.merchant_id = o.merchant_id and r.payment_id = o.payment_id
        and r.status = 'requires_operator_review')`,
  'every key has its answer': `
    select key from sandbox.idempotency_keys where merchant_id = $1 and lease_until is not null`,
}

export async function findFaults(
  { ctx }: Kassa,
  merchantId: string,
  { ledger, atRest }: { ledger: Ledger; atRest: boolean },
): Promise<string[]> {
  const faults: string[] = []
  for (const [rule, text] of Object.entries(atRest ? { ...ALWAYS, ...AT_REST } : ALWAYS)) {
    const { rows } = await ctx.db.query(text, [merchantId])
    for (const row of rows) faults.push(`${rule}: ${JSON.stringify(row)}`)
  }
  faults.push(...findDoubleWrites(ledger))
  if (atRest) faults.push(...(await compareBooks({ ctx }, merchantId, ledger)))
  if (atRest) faults.push(...(await compareRefunds({ ctx }, merchantId, ledger)))
  return faults
}

function findDoubleWrites({ writes }: Ledger): string[] {
  const keys = writes.map(({ key }) => key)
  return keys
    .filter((key, index) => keys.indexOf(key) !== index)
    .map((key) => `the bank was told twice: ${key}`)
}

/** Both sides, but for payments of which a person has to decide something. */
/** Where the bank names its refunds, exactly those of ours are undone of which it says so. */
async function compareRefunds(
  { ctx }: Pick<Kassa, 'ctx'>,
  merchantId: string,
  { orders }: Ledger,
): Promise<string[]> {
  const { rows } = await ctx.db.query(
    `select o.id, o.undone_at is not null as undone from sandbox.operations o
       join sandbox.payments p on p.merchant_id = o.merchant_id and p.id = o.payment_id and p.status <> 'reversed'
     where o.merchant_id = $1 and o.type = 'refund' and o.status = 'succeeded'`,
    [merchantId],
  )
  const named = [...orders.values()].flatMap(({ refunds = [] }) => refunds)
  return rows.flatMap(({ id, undone }) => {
    const state = named.find(({ key }) => key === id)?.state
    return state === undefined || undone === (state === 'failed')
      ? []
      : [`${id} is ${undone ? 'undone' : 'done'}, and the bank says ${state}`]
  })
}

async function compareBooks(
  { ctx }: Pick<Kassa, 'ctx'>,
  merchantId: string,
  ledger: Ledger,
): Promise<string[]> {
  const { rows } = await ctx.db.query(
    `select id, a.reference, status, p.captured_minor as captured, p.refunded_minor as refunded
     from sandbox.payments p join sandbox.attempts a on a.payment_id = p.id and a.number = p.attempt
     where p.merchant_id = $1 and status <> 'status_unknown' and not exists (
       select from sandbox.payment_warnings w where w.merchant_id = p.merchant_id and w.payment_id = p.id
         and w.detail like 'the provider % only % of %') and not exists (
       select from sandbox.operations o where o.merchant_id = p.merchant_id and o.payment_id = p.id
         and o.status = 'requires_operator_review')`,
    [merchantId],
  )
  return rows.flatMap(({ id, reference, captured, refunded, status }) => {
    const order = ledger.orders.get(reference)
    const theirs = order && { captured: order.capturedMinor, refunded: order.refundedMinor }
    const same = theirs ? theirs.captured === captured && theirs.refunded === refunded : captured === 0
    return same
      ? []
      : [`${id} (${status}): ours ${captured}/${refunded}, the bank's ${JSON.stringify(order)}`]
  })
}
