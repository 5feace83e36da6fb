/** By what people sign in to the console: links, passwords, codes and passkeys. */
import { type Queryable, statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'
import { USER_COLUMNS, USERS, type UserRecord } from './users.ts'

const PASSWORD_FIELDS = fieldsOf('passwords', ['operatorId', 'hash', 'keyId', 'sealed', 'usedStep'])
export type PasswordRecord = RecordOf<'passwords', typeof PASSWORD_FIELDS> & {
  burntSteps: number[]
}
const PASSKEY_FIELDS = fieldsOf('passkeys', [
  'id',
  'operatorId',
  'publicKey',
  'counter',
  'host',
  'transports',
])
export type PasskeyRecord = RecordOf<'passkeys', typeof PASSKEY_FIELDS>

const PASSKEY = selected(PASSKEY_FIELDS)

const PASSWORD = `${selected(PASSWORD_FIELDS)}, burnt_steps::float8[] as "burntSteps"`

const keyIds = statement<{ keyId: string }>(
  'list_password_keys',
  'select distinct key_id as "keyId" from kassa.passwords order by 1',
)
const insertCode = statement(
  'insert_recovery_code',
  'insert into kassa.recovery_codes (digest, operator_id) values ($1, $2)',
)

const clearPasskeys = statement('delete_passkeys', 'delete from kassa.passkeys where operator_id = $1')
const clearPassword = statement('delete_password', 'delete from kassa.passwords where operator_id = $1')
const clearCodes = statement(
  'delete_recovery_codes',
  'delete from kassa.recovery_codes where operator_id = $1',
)

/** Replaces the person's earlier link. */
export const putSignInLink = statement(
  'put_sign_in_link',
  `insert into kassa.sign_in_links (operator_id, digest, expires_at) values ($1, $2, $3)
   on conflict (operator_id) do update set digest = excluded.digest, expires_at = excluded.expires_at`,
).run((id: string, digest: Buffer, expiresAt: Date) => [id, digest, expiresAt])

/** Returns false if the person had none. */
export const deleteSignInLink = statement<{ operator_id: string }>(
  'delete_sign_in_link',
  'delete from kassa.sign_in_links where operator_id = $1 returning operator_id',
).some((id: string) => [id])

/** Replaces this very link of the person by another one. Returns false if it has ended. */
export const replaceSignInLink = statement<{ operator_id: string }>(
  'replace_sign_in_link',
  `update kassa.sign_in_links set digest = $3 where operator_id = $1 and digest = $2 and expires_at > $4 returning operator_id`,
).some(({ userId, known, digest, now }: { userId: string; known: Buffer; digest: Buffer; now: Date }) => [
  userId,
  known,
  digest,
  now,
])

/** Returns whom the link is for; null if it has ended. */
export const findSignInLink = statement<UserRecord>(
  'find_sign_in_link',
  `select ${USER_COLUMNS} from ${USERS} join kassa.sign_in_links l on l.operator_id = u.operator_id where l.digest = $1 and l.expires_at > $2`,
).first((digest: Buffer, now: Date) => [digest, now])

/** Returns false if somebody else has used it. */
export const takeSignInLink = statement(
  'take_sign_in_link',
  'delete from kassa.sign_in_links where digest = $1 and expires_at > $2 returning operator_id',
).some((digest: Buffer, now: Date) => [digest, now])

export const putPassword = statement(
  'put_password',
  `insert into kassa.passwords (operator_id, hash, key_id, sealed, used_step, changed_at) values ($1, $2, $3, $4, $5, $6)
   on conflict (operator_id) do update set hash = excluded.hash, key_id = excluded.key_id, sealed = excluded.sealed,
     used_step = excluded.used_step, burnt_steps = '{}', changed_at = excluded.changed_at`,
).run(({ operatorId, hash, keyId, sealed, usedStep }: Omit<PasswordRecord, 'burntSteps'>, now: Date) => [
  operatorId,
  hash,
  keyId,
  sealed,
  usedStep,
  now,
])

export const findPassword = statement<PasswordRecord>(
  'find_password',
  `select ${PASSWORD} from kassa.passwords where operator_id = $1`,
).first((operatorId: string) => [operatorId])

/** Returns false if a code of this time or a later one was used. */
export const spendCodeStep = statement(
  'use_code_step',
  'update kassa.passwords set used_step = $2 where operator_id = $1 and used_step < $2 returning operator_id',
).some((operatorId: string, step: number) => [operatorId, step])

export const burnCodeStep = statement(
  'burn_code_step',
  `update kassa.passwords set burnt_steps = array(select step from unnest(burnt_steps) step where step > used_step) || $2::bigint
   where operator_id = $1`,
).run((operatorId: string, step: number) => [operatorId, step])

export async function listPasswordKeyIds(db: Queryable): Promise<string[]> {
  return (await keyIds(db, [])).map(({ keyId }) => keyId)
}

export const lockPasswordsOfOtherKeys = statement<PasswordRecord>(
  'list_passwords_of_other_keys',
  `select ${PASSWORD} from kassa.passwords where key_id <> $1 order by operator_id limit $2 for update skip locked`,
).all((keyId: string, limit: number) => [keyId, limit])

export const resealPassword = statement(
  'reseal_password',
  'update kassa.passwords set key_id = $2, sealed = $3 where operator_id = $1',
).run(({ operatorId, keyId, sealed }: Pick<PasswordRecord, 'operatorId' | 'keyId' | 'sealed'>) => [
  operatorId,
  keyId,
  sealed,
])

export async function insertRecoveryCodes(
  tx: Queryable,
  operatorId: string,
  digests: Buffer[],
): Promise<void> {
  await clearCodes(tx, [operatorId])
  for (const digest of digests) await insertCode(tx, [digest, operatorId])
}

/** Returns false if the person has no such code. */
export const takeRecoveryCode = statement(
  'take_recovery_code',
  'delete from kassa.recovery_codes where digest = $1 and operator_id = $2 returning digest',
).some((operatorId: string, digest: Buffer) => [digest, operatorId])

/** Removes the password, the codes and the passkeys. */
export async function clearCredentials(tx: Queryable, operatorId: string): Promise<void> {
  for (const clear of [clearPasskeys, clearPassword, clearCodes]) await clear(tx, [operatorId])
}

/** Returns false if the passkey is known already. */
export const insertPasskey = statement(
  'insert_passkey',
  `insert into kassa.passkeys (id, operator_id, public_key, counter, host, transports, created_at)
   values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning id`,
).some((record: PasskeyRecord, now: Date) => {
  const { id, operatorId, publicKey, counter, host, transports } = record
  return [id, operatorId, publicKey, counter, host, transports, now]
})

export const findPasskey = statement<PasskeyRecord>(
  'find_passkey',
  `select ${PASSKEY} from kassa.passkeys where id = $1`,
).first((id: string) => [id])

/** The oldest first. */
export const listPasskeys = statement<PasskeyRecord>(
  'list_passkeys',
  `select ${PASSKEY} from kassa.passkeys
   where operator_id = $1 order by created_at, id`,
).all((operatorId: string) => [operatorId])

/** Returns false if the passkey was removed. Until the transaction ends, nobody removes it. */
export const countPasskeyUse = statement<{ id: string }>(
  'use_passkey',
  'update kassa.passkeys set counter = $2, used_at = $3 where id = $1 returning id',
).some((id: string, counter: number, now: Date) => [id, counter, now])

/** Whether anybody has set up how to sign in. */
export const hasCredentials = statement(
  'find_any_credential',
  'select 1 from kassa.passkeys union all select 1 from kassa.passwords limit 1',
).some()

/** Whether the person has a password, or a passkey that works at this host name. */
export const canSignIn = statement(
  'find_way_to_sign_in',
  `select 1 from kassa.passwords where operator_id = $1
   union all select 1 from kassa.passkeys where operator_id = $1 and host = $2 limit 1`,
).some((operatorId: string, host: string) => [operatorId, host])
