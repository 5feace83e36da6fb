/** Looks for what must never be: in the database of both worlds, and between our books and the banks'. */
import { writeNameOf } from '../../payments/named-refund.ts'
import type { Snapshot } from '../../providers/driver.ts'
import { findBrokenRules } from '../../storage/backup/facts.ts'
import { type Db, inWorld } from '../../storage/db.ts'
import type { Bank } from './bank.ts'
import { bankOf, type Deployment } from './deployment.ts'
import { ALWAYS, ANSWERED, ENDED, HISTORY } from './rules.ts'

/** `answered`: the banks answered everything that was asked. `ended`: every expiry has passed too. */
export type Stage = 'moving' | 'answered' | 'ended'

const RULES: Record<Stage, Record<string, string>> = {
  moving: ALWAYS,
  answered: { ...ALWAYS, ...HISTORY, ...ANSWERED },
  ended: { ...ALWAYS, ...HISTORY, ...ANSWERED, ...ENDED },
}

export async function findFaults(deployment: Deployment, stage: Stage): Promise<string[]> {
  const { kassa, banks } = deployment
  const faults = [...banks.values()].flatMap(({ name, faults }) => faults.map((each) => `${name}: ${each}`))
  const found = await Promise.all([kassa.ctx, kassa.live].map((ctx) => findFaultsIn(deployment, ctx, stage)))
  return [...faults, ...found.flat()]
}

async function findFaultsIn(deployment: Deployment, ctx: Ctx, stage: Stage): Promise<string[]> {
  const db = deployment.looks[ctx.world]
  const broken = await ask<{ rule: string; row: unknown }>(db, stage, TEXTS[stage], [ctx.clock.now()])
  const faults = broken.map(({ rule, row }) => `${rule}: ${JSON.stringify(row)}`)
  faults.push(...(await compareBooks(deployment, ctx, stage)))
  if (stage === 'moving') return faults
  const ofBackup = (await findBrokenRules(db, ctx.world)).map(
    ({ rule, rows }) => `${rule}: ${rows} rows do not`,
  )
  return [
    ...faults,
    ...ofBackup,
    ...(await compareRefunds(deployment, db)),
    ...(await compareWrites(deployment, db)),
  ]
}

/** All rules of a stage in one statement: a look at the database costs most by its number of statements. */
const TEXTS = Object.fromEntries(
  Object.entries(RULES).map(([stage, rules]) => [
    stage,
    Object.entries(rules)
      .map(([rule, text]) => `select '${rule}' as rule, to_jsonb(broken) as row from (${text}) broken`)
      .join(' union all ')
      .concat(' union all select null, null where $1::timestamptz is null'),
  ]),
) as Record<Stage, string>

/** The statement has a name, so that PostgreSQL parses and plans it once a connection. */
async function ask<Row extends object>(
  db: Db,
  name: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const question = { name: `model.${name}`, text: inWorld(text, db.world), values }
  return (await db.query<Row>(question)).rows
}

type Ctx = Deployment['kassa']['live']
type Row = {
  id: string
  number: number
  own: boolean
  account: string
  reference: string
  status: string
  authorized: number
  captured: number
  refunded: number
  decided: boolean
  /** Read only at the end. A person has been asked about the payment's own money: by its status, an operation in review, or a warning. */
  asked?: boolean
  /** Its refunded sum fell once. */
  fell?: boolean
  warnings?: string[]
}

/** Columns that are needed only at the end, and are slower than the rest. */
const AT_THE_END = `, p.status = 'status_unknown' or exists (select from world.payment_warnings w where w.payment_id = p.id
           and w.detail like 'the provider % only % of %') or exists (select from world.operations o
           where o.payment_id = p.id and o.attempt = a.number and o.status = 'requires_operator_review') as asked,
         exists (select from (select refunded, lag(refunded) over (order by sequence) as before from (select sequence,
             (body::jsonb #>> '{payment,refundedMinor}')::bigint as refunded from world.events e where e.payment_id = p.id) each) sums
           where refunded < before) as fell,
         array(select detail from world.payment_warnings w where w.payment_id = p.id) as warnings`

async function compareBooks(deployment: Deployment, ctx: Ctx, stage: Stage): Promise<string[]> {
  const isMoving = stage === 'moving'
  const rows = await ask<Row>(
    deployment.looks[ctx.world],
    isMoving ? 'sums' : 'books',
    `select p.id, a.number, p.attempt = a.number as own, a.account_id as account, a.reference, p.status,
         p.authorized_minor as authorized, p.captured_minor as captured, p.refunded_minor as refunded,
         exists (select from world.payment_changes c where c.payment_id = p.id and c.cause = 'operator') as decided
         ${isMoving ? '' : AT_THE_END}
       from world.payments p join world.attempts a on a.payment_id = p.id`,
  )
  return rows.flatMap((row) => {
    const bank = bankOf(deployment, ctx, row.account)
    const fault =
      bank &&
      (findUntold(row, bank) ??
        (isMoving ? null : findDifference(row, bank)) ??
        (stage === 'ended' ? findPayable(row, bank) : null))
    return fault ? [`${row.id} (${row.status}), attempt ${row.number}: ${fault}`] : []
  })
}

/** The payment's sums are those that its bank has told. */
function findUntold(row: Row, bank: Bank): string | null {
  if (!row.own || row.decided) return null
  if (row.fell && !bank.undone.has(row.reference)) return 'the refunded sum fell, and no refund had failed'
  const reported = bank.reported.get(row.reference) ?? []
  for (const [ours, name] of [
    [row.captured, 'capturedMinor'],
    [row.refunded, 'refundedMinor'],
  ] as const)
    if (ours > 0 && !reported.some((each) => each[name] === ours)) return `nobody told us ${name} ${ours}`
  const heldMinor = Math.max(0, ...reported.map((each) => Math.max(each.authorizedMinor, each.capturedMinor)))
  return row.authorized > heldMinor ? `nobody told us authorizedMinor ${row.authorized}` : null
}

/** After a void the bank still names what it had captured. Nothing of it was really taken. */
function takenOf({ order, capturedMinor }: Snapshot): number {
  return order === 'voided' ? 0 : capturedMinor
}

function findDifference(row: Row, { ledger }: Bank): string | null {
  const order = ledger.orders.get(row.reference)
  const theirs = order ? { captured: takenOf(order), refunded: order.refundedMinor } : null
  if (!row.own) {
    const { capturedMinor = 0, refundedMinor = 0, authorizedMinor = 0, order: standing } = order ?? {}
    const left =
      standing === 'voided' ? 0 : capturedMinor > 0 ? capturedMinor - refundedMinor : authorizedMinor
    const warned = row.warnings?.some((detail) => detail.includes(`attempt ${row.number}`))
    return left === 0 || warned || row.asked
      ? null
      : `second money of which nobody knows: ${JSON.stringify(order)}`
  }
  if (row.asked) return null
  const same = theirs
    ? theirs.captured === row.captured && theirs.refunded === row.refunded
    : row.captured === 0 && row.authorized === 0
  // A hold that the bank has, and we do not: the buyer's money is blocked.
  const isHeld =
    order?.order === 'completed' && order.capturedMinor === 0 && row.authorized !== order.authorizedMinor
  return same && !isHeld
    ? null
    : `ours ${row.authorized}/${row.captured}/${row.refunded}, the bank's ${JSON.stringify(order)}`
}

/** After the expiry nobody can pay an order any more that its bank withdraws. A payment with an unknown outcome waits for a person. */
function findPayable({ own, status, reference }: Row, { keyed, ledger }: Bank): string | null {
  if (!keyed || (own && status === 'status_unknown')) return null
  return ledger.orders.get(reference)?.order === 'reached' ? 'the order can still be paid at its bank' : null
}

/** What the name of a write at its bank follows from. */
type Write = Parameters<typeof writeNameOf>[0] & { id: string }
const WRITE =
  'o.id, o.merchant_id as "merchantId", o.scope, o.key, o.provider_operation_id as "providerOperationId"'

/** Where the bank names its refunds, exactly those of ours are undone of which it says so. */
async function compareRefunds({ banks }: Deployment, db: Db): Promise<string[]> {
  const rows = await ask<Write & { status: string; undone: boolean }>(
    db,
    'refunds',
    `select ${WRITE}, o.status, o.reverted_at is not null as undone from world.operations o
         join world.payments p on p.id = o.payment_id and p.status not in ('reversed', 'status_unknown')
       where o.type = 'refund' and o.status in ('succeeded', 'failed')
         and not exists (select from world.operation_changes c where c.operation_id = o.id and c.cause = 'operator')`,
  )
  const named = [...banks.values()]
    .flatMap(({ ledger }) => [...ledger.orders.values()])
    .flatMap(({ refunds = [] }) => refunds)
  return rows.flatMap(({ id, status, undone, ...write }) => {
    const name = writeNameOf(write).key
    const state = named.find(({ key }) => key === name)?.state
    if (state === undefined) return []
    const fits = status === 'failed' ? state === 'failed' : undone === (state === 'failed')
    return fits ? [] : [`${id} is ${undone ? 'undone' : status}, and the bank says ${state}`]
  })
}

/** A write that the bank has done has not failed. */
async function compareWrites({ banks }: Deployment, db: Db): Promise<string[]> {
  const rows = await ask<Write & { type: string; why: string | null; times: number }>(
    db,
    'writes',
    `select ${WRITE}, type, status_reason as why, send_count as times from world.operations o where status = 'failed' and reverted_at is null
         and type in ('refund', 'capture', 'void') and not exists (select from world.operation_changes c
           where c.operation_id = o.id and c.cause = 'operator')`,
  )
  const acted = new Set([...banks.values()].flatMap((bank) => [...bank.acted]))
  return rows
    .filter((write) => acted.has(writeNameOf(write).key))
    .map(
      ({ id, type, why, times }) =>
        `the ${type} ${id} failed, and the bank has done it: ${why}; sent ${times} times`,
    )
}
