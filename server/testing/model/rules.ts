/** What must always hold of payments, as queries of one world. A query returns the rows that break its rule. `$1`: now. */

const CHANGES = `(select *, row_number() over (partition by payment_id order by version) as sequence
  from world.payment_changes where to_status not in ('created', 'pending_redirect'))`
const minor = (name: string) => `(e.body::jsonb #>> '{payment,${name}}')::bigint`

// A refund that was sent reserves its amount until it is decided, and the bank may have reported it as refunded before that.
export const ALWAYS: Record<string, string> = {
  'money is conserved': `
    select id, authorized_minor, captured_minor, refunded_minor, refund_reserved_minor from world.payments p
      where not (0 <= refunded_minor and refunded_minor <= captured_minor and captured_minor <= authorized_minor
        and authorized_minor <= amount_minor and refunded_minor + refund_reserved_minor <= captured_minor + (
          select coalesce(sum(o.amount_minor), 0) from world.operations o where o.payment_id = p.id and o.type = 'refund'
            and o.cause = 'request' and o.sent_at is not null and o.status in ('processing', 'requires_operator_review')))`,
  'what is reserved is what undecided refunds ask for': `
    select p.id, refund_reserved_minor, coalesce(sum(o.amount_minor), 0) as asked from world.payments p
      left join world.operations o on o.merchant_id = p.merchant_id and o.payment_id = p.id and o.type = 'refund'
        and o.cause = 'request' and o.status in ('queued', 'processing', 'requires_operator_review')
      group by p.id, refund_reserved_minor having refund_reserved_minor <> coalesce(sum(o.amount_minor), 0)`,
  'a payment is at the version and status of its last change': `
    select p.id, p.version, p.status from world.payments p
      left join world.payment_changes c on c.payment_id = p.id and c.version = p.version
      where not (p.version = 0 and p.status = 'created') and (c.to_status is null or c.to_status <> p.status)`,
  'paid, held or given back is only the whole amount, or what a capture of ours asked for': `
    select id, status, amount_minor, authorized_minor, captured_minor from world.payments p
      where (status = 'authorized' and authorized_minor <> amount_minor
        or status in ('paid', 'partially_refunded', 'refunded', 'disputed') and captured_minor <> amount_minor
          and not exists (select from world.operations o where o.payment_id = p.id
            and o.type = 'capture' and o.sent_at is not null and o.amount_minor = p.captured_minor)
          -- A person may decide that the part which the bank took pays the payment.
          and not exists (select from world.payment_changes c where c.payment_id = p.id and c.cause = 'operator'))`,
  'one operation at work on an order': `
    select payment_id, attempt from world.operations where status in ('processing', 'requires_operator_review')
      and type in ('refund', 'capture', 'void') group by payment_id, attempt having count(*) > 1`,
  'the return of second money is sent once for each order and kind': `
    select payment_id, attempt, type from world.operations where cause = 'service' and sent_at is not null
      group by payment_id, attempt, type having count(*) > 1`,
  'one receipt for a payment': `
    select payment_id from world.receipts where kind = 'sale' group by payment_id having count(*) > 1`,
  'one order of a payment can be paid at a time': `
    select payment_id from world.attempts where state in ('opening', 'open') group by payment_id having count(*) > 1`,
  'the sums of a payment are those of its own attempt': `
    select p.id, p.status, a.state, p.captured_minor, a.captured_minor as of_attempt, p.refunded_minor,
        a.refunded_minor as refunded_of_attempt from world.payments p
      join world.attempts a on a.payment_id = p.id and a.number = p.attempt
      where p.status in ('authorized', 'paid', 'partially_refunded', 'refunded')
        and (p.captured_minor, p.refunded_minor) <> (a.captured_minor, a.refunded_minor)
        and not exists (select from world.payment_changes c where c.payment_id = p.id and c.cause = 'operator')`,
  'an order that may be paid is asked about, for a week after its payment has expired': `
    select a.payment_id, a.number, a.state, p.status from world.attempts a join world.payments p on p.id = a.payment_id
      where a.question_due_at is null and (a.state = 'opening' or a.state = 'open' and p.expires_at + interval '7 days' > $1)
        and not (p.status = 'status_unknown' and p.attempt = a.number)
        -- An operator has seen that this order was paid: it cannot be paid again, and its callbacks are about the same money.
        and not (p.attempt = a.number and p.captured_minor > 0
          and exists (select from world.payment_changes c where c.payment_id = p.id and c.cause = 'operator'))`,
}

/** Rules about what is never changed once it is written, so it is enough to look at the end. */
export const HISTORY: Record<string, string> = {
  'each version has one change, along the table, from where the last one ended': `
    select c.payment_id, c.version, c.from_status, c.to_status from world.payment_changes c
      left join world.payment_changes b on b.payment_id = c.payment_id and b.version = c.version - 1
      left join world.payment_transitions t on t.from_status = c.from_status and t.to_status = c.to_status
      where t.from_status is null or c.from_status <> coalesce(b.to_status, 'created')`,
  'each change has one event, in its order, and each event a change': `
    select coalesce(c.payment_id, e.payment_id) as payment, c.version, c.to_status, e.status from ${CHANGES} c
      full join world.events e on e.payment_id = c.payment_id and e.sequence = c.sequence
      where c.version is null or e.sequence is null or e.status <> c.to_status`,
  'sums fall only by a named path': `
    select * from (
      select e.payment_id, e.status, c.cause, c.from_status, ${minor('refundedMinor')} as refunded,
        ${minor('capturedMinor')} as captured, ${minor('authorizedMinor')} as authorized,
        lag(${minor('refundedMinor')}) over history as refunded_before,
        lag(${minor('capturedMinor')}) over history as captured_before,
        lag(${minor('authorizedMinor')}) over history as authorized_before
      from world.events e join ${CHANGES} c on c.payment_id = e.payment_id and c.sequence = e.sequence
      window history as (partition by e.payment_id order by e.sequence)) each
      where from_status <> 'status_unknown' and (
        refunded < refunded_before and not (cause = 'provider' and status in ('paid', 'partially_refunded', 'disputed'))
        or captured < captured_before and status <> 'reversed'
        or authorized < authorized_before and status not in ('reversed', 'failed'))`,
}

/** The banks answer, and all that was due has been done. */
export const ANSWERED: Record<string, string> = {
  'no operation is under way, but behind one that waits for a person': `
    select id, type, status, status_reason from world.operations o where status in ('queued', 'processing')
      and not exists (select from world.operations r where r.payment_id = o.payment_id and r.attempt = o.attempt
        and r.status = 'requires_operator_review')`,
  'second money has gone back, or is asked back, or a person knows of it': `
    select a.payment_id, a.number, a.captured_minor, a.refunded_minor from world.attempts a
      join world.payments p on p.id = a.payment_id and p.attempt <> a.number
      where a.captured_minor - a.refunded_minor - a.disputed_minor > 0
        and not exists (select from world.operations o where o.payment_id = a.payment_id and o.attempt = a.number
          and o.cause = 'service' and o.status = 'requires_operator_review')
        and not exists (select from world.payment_warnings w where w.payment_id = a.payment_id
          and w.detail like 'give the money of attempt ' || a.number || ' back%')`,
  'every new payment has its order': `
    select p.id from world.payments p join world.attempts a on a.payment_id = p.id
      where p.status = 'created' and a.state = 'opening' and not p.single_attempt`,
}

/** Every expiry has passed too. */
export const ENDED: Record<string, string> = {
  'every payment has ended or is for a person': `
    select id, status, expires_at from world.payments
      where status in ('created', 'pending_redirect', 'pending_payment')`,
  'no order is still being opened': `
    select a.payment_id, a.number, p.status from world.attempts a join world.payments p on p.id = a.payment_id
      where a.state = 'opening' and not (p.status = 'status_unknown' and p.attempt = a.number)`,
  'nothing is due for ever': `
    select payment_id, number, state, question_due_at from world.attempts where question_due_at <= $1`,
}
