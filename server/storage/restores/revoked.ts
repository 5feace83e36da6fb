/** Applies to a restored database what was taken back since its backup. Each statement does nothing to a row that is not there. */
import type { Queryable } from '../db.ts'

/** `at`: when it was taken back. `world`: null for what both worlds share. */
export type Revocation = {
  at: string
  world: string | null
  kind: string
  about: Record<string, unknown>
  values: Record<string, unknown>
}

/**
 * `isFinal`: it is never given again. Else it may have been given again before the backup, which then knows that. `isLast`: only the
 * last line about a thing counts. `again`: what a person sets again where the rule has changed something.
 */
type Rule = {
  text: string
  isFinal?: true
  isLast?: true
  again?(about: Revocation['about']): string
  values(revocation: Revocation): unknown[]
}

const ROLES = "array['viewer', 'cashier', 'shop', 'operator', 'administrator']"
/** The lower of two limits counts. Null means no limit. A missing currency means a limit of zero. */
const lower = (
  column: string,
  given: string,
) => `case when ${given}::jsonb is null then ${column} when ${column} is null then ${given}::jsonb
  else (select coalesce(jsonb_object_agg(one.key, least(one.value::bigint, other.value::bigint)), '{}')
    from jsonb_each_text(${column}) one join jsonb_each_text(${given}::jsonb) other using (key)) end`
const json = (value: unknown) => (value === null || value === undefined ? null : JSON.stringify(value))
/** Whether the column is not the value that holds since. Null: nothing holds since. */
const differs = (column: string, digest: string) =>
  `encode(sha256(convert_to(${column}, 'UTF8')), 'hex') is distinct from ${digest}`
const limitsOf = ({ values: { refund_limits: one, refund_limits_day: day } }: Revocation) => [
  json(one),
  json(day),
]

const RULES: Record<string, Rule> = {
  person: {
    text: `with gone as (delete from kassa.console_users where operator_id = $1)
      update kassa.operators set removed_at = coalesce(removed_at, $2) where id = $1`,
    isFinal: true,
    values: ({ about, values, at }) => [about.id, values.removed_at ?? at],
  },
  operator_key: {
    text: 'update kassa.operators set key_digest = null where id = $1',
    values: ({ about }) => [about.id],
  },
  role: {
    text: `update kassa.operators set role = $2 where id = $1 and array_position(${ROLES}, $2) < array_position(${ROLES}, role)`,
    values: ({ about, values }) => [about.id, values.role],
  },
  console_user: {
    text: 'delete from kassa.console_users where operator_id = $1',
    values: ({ about }) => [about.operator_id],
  },
  person_merchant: {
    text: `with gone as (delete from kassa.console_users where operator_id = $1
        and $2::text is not null and not exists (select from kassa.merchants where id = $2))
      update kassa.console_users set merchant_id = $2 where operator_id = $1 and exists (select from kassa.merchants where id = $2)`,
    values: ({ about, values }) => [about.operator_id, values.merchant_id],
  },
  person_limit: {
    text: `update kassa.console_users set refund_limits = ${lower('refund_limits', '$2')},
      refund_limits_day = ${lower('refund_limits_day', '$3')} where operator_id = $1`,
    values: (revocation) => [revocation.about.operator_id, ...limitsOf(revocation)],
  },
  passkey: {
    text: 'delete from kassa.passkeys where id = $1',
    isFinal: true,
    values: ({ about }) => [about.id],
  },
  password: {
    text: 'delete from kassa.passwords where operator_id = $1 and changed_at < $2',
    isFinal: true,
    values: ({ about, at }) => [about.operator_id, at],
  },
  approval_limit: {
    text: `insert into kassa.approval_limits (world, currency, limit_minor) values ($1, $2, $3)
      on conflict (world, currency) do update set limit_minor = least(approval_limits.limit_minor, excluded.limit_minor)`,
    values: ({ about, values }) => [about.world, about.currency, values.limit_minor],
  },
  origin: {
    text: 'delete from kassa.origins where merchant_id = $1 and origin = $2',
    values: ({ about }) => [about.merchant_id, about.origin],
  },
  domain_review: {
    text: 'delete from kassa.domain_reviews where merchant_id = $1 and origin = $2',
    values: ({ about }) => [about.merchant_id, about.origin],
  },
  merchant_state: {
    text: 'update kassa.merchants set state = $2, stopped_at = $3, stopped_why = $4 where id = $1',
    values: ({ about, values }) => [about.id, values.state, values.stopped_at, values.stopped_why],
  },
  token: {
    text: `update world.api_keys set revoked_at = coalesce(revoked_at, $3), expires_at = least(expires_at, $4)
      where merchant_id = $1 and id = $2`,
    isFinal: true,
    values: ({ about, values }) => [about.merchant_id, about.id, values.revoked_at, values.expires_at],
  },
  token_limit: {
    text: `update world.api_keys set refund_limits = ${lower('refund_limits', '$3')},
      refund_limits_day = ${lower('refund_limits_day', '$4')} where merchant_id = $1 and id = $2`,
    values: (revocation) => [revocation.about.merchant_id, revocation.about.id, ...limitsOf(revocation)],
  },
  public_key: {
    text: 'update world.installations set revoked_at = coalesce(revoked_at, $3) where merchant_id = $1 and id = $2',
    isFinal: true,
    values: ({ about, values, at }) => [about.merchant_id, about.id, values.revoked_at ?? at],
  },
  public_key_origins: {
    text: `update world.installations set origins = array(select unnest(origins) intersect select unnest($3::text[]))
      where merchant_id = $1 and id = $2`,
    values: ({ about, values }) => [about.merchant_id, about.id, values.origins],
  },
  webhook_secret: {
    text: 'update world.webhook_secrets set expires_at = least(expires_at, $3) where merchant_id = $1 and id = $2',
    isFinal: true,
    values: ({ about, values, at }) => [about.merchant_id, about.id, values.expires_at ?? at],
  },
  account: {
    text: `update world.accounts set retired_at = coalesce(retired_at, $2), superseded = $3, version = version + 1
      where id = $1 and retired_at is null`,
    values: ({ about, values, at }) => [about.id, values.retired_at ?? at, values.superseded ?? false],
  },
  account_merchant: {
    text: 'delete from world.account_merchants where account_id = $1 and merchant_id = $2',
    values: ({ about }) => [about.account_id, about.merchant_id],
  },
  saved_method: {
    text: `update world.saved_methods set status = 'revoked', due_at = null
      where merchant_id = $1 and id = $2 and status in ('pending', 'active')`,
    isFinal: true,
    values: ({ about }) => [about.merchant_id, about.id],
  },
  callback: {
    text: `delete from world.receivers where merchant_id = $1 and ${differs('url', '$2')}`,
    isLast: true,
    again: ({ merchant_id: merchant }) => `the callback URL of ${merchant}`,
    values: ({ about, values }) => [about.merchant_id, values.digest],
  },
  order_mails: {
    text: `with changed as (update world.order_books set email = null
        where merchant_id = $1 and email is not null and ${differs('email', '$2')} returning merchant_id),
      links as (delete from world.order_links where merchant_id in (select merchant_id from changed))
      select from changed`,
    isLast: true,
    again: ({ merchant_id: merchant }) => `the address for the mails about orders of ${merchant}`,
    values: ({ about, values }) => [about.merchant_id, values.digest],
  },
  short_address: {
    text: `update world.short_addresses set state = 'retired', retired_at = $2, approved_at = coalesce(approved_at, $2)
      where folded = $1 and state <> 'retired'`,
    isFinal: true,
    values: ({ about, values, at }) => [about.folded, values.retired_at ?? at],
  },
  product: {
    text: 'update world.products set removed_at = $3 where merchant_id = $1 and id = $2 and removed_at is null',
    values: ({ about, values, at }) => [about.merchant_id, about.id, values.removed_at ?? at],
  },
  subscription: {
    text: `update world.subscriptions set status = 'cancelled', cancelled_at = $3, cancel_reason = $4, next_charge_at = null, due_at = null
      where merchant_id = $1 and id = $2 and status <> 'cancelled'`,
    isFinal: true,
    values: ({ about, values, at }) => [
      about.merchant_id,
      about.id,
      values.cancelled_at ?? at,
      values.cancel_reason ?? 'requested',
    ],
  },
}

/** Clocks differ, and a backup is a little older than its time. */
const MARGIN_MS = 10 * 60_000

/** The kinds that this version knows. A test compares them with the triggers. */
export const KINDS = Object.keys(RULES)

/** Returns the lines that count: of an address that was replaced several times only the last one. */
export function countingLines<Line extends Revocation>(lines: readonly Line[]): Line[] {
  const nameOf = ({ kind, world, about }: Line) => JSON.stringify([kind, world, about])
  const last = new Map(lines.map((line) => [nameOf(line), line]))
  return lines.filter((line) => !RULES[line.kind]?.isLast || last.get(nameOf(line)) === line)
}

/** `changed`: how many rows. `again`: what a person has to set again, because the newer value is lost. */
export type Applied = { changed: number; again: string | null }

/** Applies one line of the list. `worlds`: those of the backup. A kind of a newer version is skipped: null. */
export async function applyRevocation(
  tx: Queryable,
  revocation: Revocation,
  { backupAt, worlds }: { backupAt: Date; worlds: readonly string[] },
): Promise<Applied | null> {
  const rule = RULES[revocation.kind]
  if (!rule) return null
  const { world, at, about } = revocation
  const nothing = { changed: 0, again: null }
  if (world !== null && !worlds.includes(world)) return nothing
  if (!rule.isFinal && Date.parse(at) < backupAt.getTime() - MARGIN_MS) return nothing
  const text = rule.text.replaceAll('world.', `${world}.`)
  const changed = (await tx.query(text, rule.values(revocation))).rowCount ?? 0
  return { changed, again: changed > 0 ? (rule.again?.(about) ?? null) : null }
}

/**
 * Ends every session, and every link, step and code that opens the console. Nobody can know which recovery codes were used since the
 * backup, so all of them become invalid. Acts that wait for a second person end too: they may have been refused since, or carried out.
 */
export async function endSignIns(tx: Queryable, at: Date): Promise<void> {
  for (const table of ['console_sessions', 'sign_in_links', 'sign_in_steps', 'recovery_codes'])
    await tx.query(`delete from kassa.${table}`)
  await tx.query(
    `update kassa.proposals set expires_at = least(expires_at, $1),
       sealed = case state when 'open' then sealed end, key_id = case state when 'open' then key_id end
     where state in ('open', 'granted')`,
    [at],
  )
}

const VALID_TOKEN = 'revoked_at is null and (expires_at is null or expires_at > $1)'

/** Lets everybody wait who may move money, and lists the other tokens. */
export async function markWaiting(tx: Queryable, worlds: readonly string[], at: Date): Promise<void> {
  await tx.query('update kassa.operators set waits_since = $1 where removed_at is null', [at])
  for (const world of worlds) {
    const money = `'operations.write' = any(scopes)`
    await tx.query(`update ${world}.api_keys set waits_since = $1 where ${money} and ${VALID_TOKEN}`, [at])
    await tx.query(`update ${world}.api_keys set listed_since = $1 where not ${money} and ${VALID_TOKEN}`, [
      at,
    ])
  }
}

/** No service starts on the database until `endRestoring`. The row is that of a move which has no other database. */
const RESTORING = '00000000-0000-0000-0000-000000000000'

export async function beginRestoring(tx: Queryable, at: Date): Promise<void> {
  await tx.query('insert into kassa.incoming_moves (move_id, started_at) values ($1, $2)', [RESTORING, at])
}

export async function endRestoring(tx: Queryable): Promise<void> {
  await tx.query('delete from kassa.incoming_moves where move_id = $1', [RESTORING])
}

/** Whether an arrival is that of a restore which was interrupted. */
export const isRestoring = ({ moveId }: { moveId: string }) => moveId === RESTORING
