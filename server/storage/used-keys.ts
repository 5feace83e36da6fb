import { listCredentialKeyIds } from './accounts/account-credentials.ts'
import type { Queryable } from './db.ts'
import { listSealingKeys } from './events/webhook-secrets.ts'

/** Returns the ids of all keys that encrypt something in this world: callback secrets and the accounts' credentials. */
export async function listUsedKeyIds(db: Queryable): Promise<string[]> {
  return [...(await listSealingKeys(db)).map(({ keyId }) => keyId), ...(await listCredentialKeyIds(db))]
}
