/** The sealed credentials of provider accounts. */
import { type Queryable, statement } from '../db.ts'
import { fieldsOf, insertInto, type RecordOf, selected, valuesOf } from '../fields.ts'

const FIELDS = fieldsOf('account_credentials', ['accountId', 'name', 'keyId', 'sealed'])
/** One secret setting, sealed under the key that `keyId` names. */
export type CredentialRecord = RecordOf<'account_credentials', typeof FIELDS>

const COLUMNS = selected(FIELDS)
const valuesOfAll = valuesOf('account_credentials', FIELDS)

const insert = statement('insert_account_credential', insertInto('account_credentials', FIELDS))
const clear = statement(
  'delete_account_credentials',
  'delete from world.account_credentials where account_id = $1',
)

const keyIds = statement<{ keyId: string }>(
  'list_account_credential_keys',
  'select distinct key_id as "keyId" from world.account_credentials order by 1',
)

/** Returns the ids of the keys that credentials are sealed under. */
export async function listCredentialKeyIds(db: Queryable): Promise<string[]> {
  return (await keyIds(db, [])).map(({ keyId }) => keyId)
}

export const listCredentials = statement<CredentialRecord>(
  'list_account_credentials',
  `select ${COLUMNS} from world.account_credentials order by account_id, name`,
).all()

/** Replaces all credentials of an account. */
export async function replaceCredentials(
  tx: Queryable,
  accountId: string,
  records: Omit<CredentialRecord, 'accountId'>[],
): Promise<void> {
  await clear(tx, [accountId])
  for (const record of records) await insert(tx, valuesOfAll({ ...record, accountId }))
}

/** Up to `limit` credentials that are sealed under any other key, locked until the transaction ends. */
export const lockCredentialsOfOtherKeys = statement<CredentialRecord>(
  'list_account_credentials_of_other_keys',
  `select ${COLUMNS} from world.account_credentials where key_id <> $1 order by account_id, name limit $2 for update skip locked`,
).all((keyId: string, limit: number) => [keyId, limit])

export const resealCredential = statement(
  'reseal_account_credential',
  'update world.account_credentials set key_id = $3, sealed = $4 where account_id = $1 and name = $2',
).run(({ accountId, name, keyId, sealed }: CredentialRecord) => [accountId, name, keyId, sealed])
