import { listPasswordKeyIds } from './access/credentials.ts'
import { listCredentialKeyIds } from './accounts/account-credentials.ts'
import { type Queryable, statement } from './db.ts'
import { listSealingKeys } from './events/webhook-secrets.ts'

/** Returns the ids of all keys that encrypt something in this world: callback secrets, the accounts' credentials, and the codes of people. */
export async function listUsedKeyIds(db: Queryable): Promise<string[]> {
  const ofCallbacks = (await listSealingKeys(db)).map(({ keyId }) => keyId)
  return [...ofCallbacks, ...(await listCredentialKeyIds(db)), ...(await listPasswordKeyIds(db))]
}

const discardCallbackSecrets = statement<{ owner: string }>(
  'discard_callback_secrets',
  'delete from world.webhook_secrets where key_id = $1 returning merchant_id as owner',
)
const discardCredentials = statement<{ owner: string }>(
  'discard_credentials',
  'delete from world.account_credentials where key_id = $1 returning account_id as owner',
)

/** People who sign in with a code of this key then need a new link. */
const discardPasswords = statement('discard_passwords', 'delete from kassa.passwords where key_id = $1')

/** Deletes everything of this world that is sealed under a key. Returns the merchants and the accounts that it belonged to. */
export async function discardKey(
  db: Queryable,
  keyId: string,
): Promise<{ merchants: string[]; accounts: string[] }> {
  const merchants = await discardCallbackSecrets(db, [keyId])
  const accounts = await discardCredentials(db, [keyId])
  await discardPasswords(db, [keyId])
  const owners = (rows: { owner: string }[]) => [...new Set(rows.map(({ owner }) => owner))].sort()
  return { merchants: owners(merchants), accounts: owners(accounts) }
}
