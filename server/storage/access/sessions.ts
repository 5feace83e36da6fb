/** Who is signed in to the console, and who is about to be. */
import { type Queryable, statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'
import { USER_COLUMNS, USERS, type UserRecord } from './users.ts'

const STEP = fieldsOf('sign_in_steps', ['operatorId', 'challenge'])
export type StepRecord = RecordOf<'sign_in_steps', typeof STEP>
const FACTOR_FIELDS = fieldsOf('console_sessions', ['moneyProvedAt', 'redirectProvedAt', 'redirectNetwork'])
/** When the second factor was last shown, and from which network. Null: never, or before this version. */
export type SecondFactorTimes = RecordOf<'console_sessions', typeof FACTOR_FIELDS>
export type SessionRecord = UserRecord & SecondFactorTimes & { seenAt: Date }

const insertStepRow = statement(
  'insert_sign_in_step',
  'insert into kassa.sign_in_steps (digest, operator_id, challenge, expires_at) values ($1, $2, $3, $4)',
)
const claimStepRow = statement<{ digest: Buffer }>(
  'claim_sign_in_step',
  'insert into kassa.sign_in_steps (digest, expires_at) values ($1, $2) on conflict (digest) do nothing returning digest',
)

const dropSteps = statement(
  'drop_old_sign_in_steps',
  'delete from kassa.sign_in_steps where expires_at <= $1',
)
/** Steps of somebody who is not known yet, and of each person. With those that can still be answered, nobody needs more. */
const STEPS_OF_NOBODY_MAX = 20_000
const STEPS_OF_PERSON_MAX = 50
/** The oldest are deleted. A claim of oneAtATime is not a step, so it stays. */
const dropTooMany = statement(
  'drop_too_many_sign_in_steps',
  `delete from kassa.sign_in_steps where digest in (
     select digest from (
       select digest, operator_id, row_number() over (partition by operator_id order by expires_at desc) as place
       from kassa.sign_in_steps where operator_id is not null or challenge is not null
     ) ranked where place > case when operator_id is null then ${STEPS_OF_NOBODY_MAX} else ${STEPS_OF_PERSON_MAX} end)`,
)
const insert = statement(
  'insert_console_session',
  `insert into kassa.console_sessions (digest, operator_id, seen_at, ends_at, money_proved_at, redirect_proved_at, redirect_network)
   values ($1, $2, $3, $4, $3, $3, $5)`,
)
const dropOld = statement(
  'drop_old_console_sessions',
  'delete from kassa.console_sessions where ends_at <= $1',
)

const endAll = statement('end_console_sessions', 'delete from kassa.console_sessions where operator_id = $1')
const endOthers = statement(
  'end_other_console_sessions',
  'delete from kassa.console_sessions where operator_id = $1 and digest <> $2',
)
const dropStepsOf = statement('drop_sign_in_steps', 'delete from kassa.sign_in_steps where operator_id = $1')

/** Steps that have ended go with the next one. One step in 256 counts them, because that reads all of them. */
export async function insertStep(
  tx: Queryable,
  digest: Buffer,
  { operatorId, challenge }: StepRecord,
  { now, expiresAt }: { now: Date; expiresAt: Date },
): Promise<void> {
  await dropSteps(tx, [now])
  await insertStepRow(tx, [digest, operatorId, challenge, expiresAt])
  if (digest[0] === 0) await dropTooMany(tx, [])
}

/** Returns false if somebody has it already. */
export async function claimStep(
  tx: Queryable,
  digest: Buffer,
  { now, expiresAt }: { now: Date; expiresAt: Date },
): Promise<boolean> {
  await dropSteps(tx, [now])
  return (await claimStepRow(tx, [digest, expiresAt])).length > 0
}

export const findStep = statement<StepRecord>(
  'find_sign_in_step',
  `select ${selected(STEP)} from kassa.sign_in_steps where digest = $1 and expires_at > $2`,
).first((digest: Buffer, now: Date) => [digest, now])

/** Returns null if it has ended, or somebody else has taken it. */
export const takeStep = statement<StepRecord>(
  'take_sign_in_step',
  `delete from kassa.sign_in_steps where digest = $1 and expires_at > $2 returning ${selected(STEP)}`,
).first((digest: Buffer, now: Date) => [digest, now])

/** Signing in shows the second factor. Sessions that have ended go with the next one. */
export async function insertSession(
  tx: Queryable,
  digest: Buffer,
  operatorId: string,
  { now, endsAt, network }: { now: Date; endsAt: Date; network: string },
): Promise<void> {
  await dropOld(tx, [now])
  await insert(tx, [digest, operatorId, now, endsAt, network])
}

export const setSecondFactorTimes = statement(
  'set_console_session_proofs',
  `update kassa.console_sessions set money_proved_at = $2, redirect_proved_at = $3, redirect_network = $4 where digest = $1`,
).run((digest: Buffer, { moneyProvedAt, redirectProvedAt, redirectNetwork }: SecondFactorTimes) => [
  digest,
  moneyProvedAt,
  redirectProvedAt,
  redirectNetwork,
])

/** Returns the person as the person is now; null if the session has ended, was not seen since `idleSince`, or its owner was removed. */
export const findSession = statement<SessionRecord>(
  'find_console_session',
  `select ${USER_COLUMNS}, s.seen_at as "seenAt", ${selected(FACTOR_FIELDS, 's')} from ${USERS} join kassa.console_sessions s on s.operator_id = u.operator_id
   where s.digest = $1 and s.ends_at > $2 and s.seen_at > $3`,
).first((digest: Buffer, { now, idleSince }: { now: Date; idleSince: Date }) => [digest, now, idleSince])

export const touchSession = statement(
  'touch_console_session',
  'update kassa.console_sessions set seen_at = $2 where digest = $1 and seen_at < $2',
).run((digest: Buffer, now: Date) => [digest, now])

export const endSession = statement(
  'end_console_session',
  'delete from kassa.console_sessions where digest = $1',
).run((digest: Buffer) => [digest])

/** Ends every session of the person but this one, and every sign-in that has begun. */
export async function endOtherSessionsOf(tx: Queryable, operatorId: string, digest: Buffer): Promise<void> {
  await endOthers(tx, [operatorId, digest])
  await dropStepsOf(tx, [operatorId])
}

/** Ends every session of the person, and every sign-in that has begun. */
export async function endSessionsOf(tx: Queryable, operatorId: string): Promise<void> {
  await endAll(tx, [operatorId])
  await dropStepsOf(tx, [operatorId])
}
