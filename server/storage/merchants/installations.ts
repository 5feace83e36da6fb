import type { ProviderRoute } from '../../contract/fields.ts'
import { type Queryable, statement } from '../db.ts'

export type InstallationRecord = {
  merchantId: string
  id: string
  publicKey: string
  /** Serialised origins, compared byte for byte. */
  origins: string[]
  returnUrl: string | null
  /** Where *Back to the shop* leads; null: the start page of the return URL's origin. */
  shopUrl: string | null
  provider: ProviderRoute | null
  /** The button leads past our own page, where that page has nothing to ask or to say. */
  skipsCheckout: boolean
  createdAt: Date
  revokedAt: Date | null
}

const COLUMNS = `merchant_id as "merchantId", id, public_key as "publicKey", origins, return_url as "returnUrl", shop_url as "shopUrl", provider,
  skips_checkout as "skipsCheckout", created_at as "createdAt", revoked_at as "revokedAt"`

const insert = statement(
  'insert_installation',
  `insert into world.installations (merchant_id, id, public_key, origins, return_url, shop_url, provider, skips_checkout,
     created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
)
const byPublicKey = statement<InstallationRecord>(
  'find_installation_by_public_key',
  `select ${COLUMNS} from world.installations where public_key = $1`,
)
const byId = statement<InstallationRecord>(
  'find_installation',
  `select ${COLUMNS} from world.installations where id = $1`,
)
const ofMerchant = statement<InstallationRecord>(
  'list_installations',
  `select ${COLUMNS} from world.installations where merchant_id = $1 order by id`,
)
const withOrigin = statement<{ id: string }>(
  'find_installation_with_origin',
  `select id from world.installations where origins @> array[$1] and revoked_at is null limit 1`,
)
const updateOrigins = statement(
  'update_installation_origins',
  'update world.installations set origins = $3, return_url = $4 where merchant_id = $1 and id = $2',
)
const writeShopUrl = statement<{ id: string }>(
  'set_installation_shop_url',
  'update world.installations set shop_url = $2 where id = $1 returning id',
)
const writeSkip = statement(
  'set_installation_checkout_skip',
  'update world.installations set skips_checkout = $2 where id = $1',
)
const addOrigin = statement<{ id: string }>(
  'add_installation_origin',
  `update world.installations set origins = case when $2 = any(origins) then origins else array_append(origins, $2) end
   where id = $1 and revoked_at is null returning id`,
)
const dropOrigin = statement<{ id: string }>(
  'remove_installation_origin',
  `update world.installations set origins = array_remove(origins, $2)
   where id = $1 and $2 = any(origins) and cardinality(origins) > 1 returning id`,
)
const revoke = statement<{ id: string }>(
  'revoke_installation',
  'update world.installations set revoked_at = $2 where id = $1 and revoked_at is null returning id',
)

export async function insertInstallation(db: Queryable, record: InstallationRecord): Promise<void> {
  const { merchantId, id, publicKey, origins, returnUrl, shopUrl, provider, skipsCheckout, createdAt } =
    record
  const shown = [publicKey, origins, returnUrl, shopUrl, provider, skipsCheckout]
  await insert(db, [merchantId, id, ...shown, createdAt])
}

export async function findInstallationByPublicKey(
  db: Queryable,
  publicKey: string,
): Promise<InstallationRecord | null> {
  return (await byPublicKey(db, [publicKey]))[0] ?? null
}

export async function findInstallation(db: Queryable, id: string): Promise<InstallationRecord | null> {
  return (await byId(db, [id]))[0] ?? null
}

/** Returns installations, oldest first, including revoked ones. */
export async function listInstallations(db: Queryable, merchantId: string): Promise<InstallationRecord[]> {
  return ofMerchant(db, [merchantId])
}

/** Returns true if an active installation lists exactly this origin. */
export async function isOriginInstalled(db: Queryable, origin: string): Promise<boolean> {
  return (await withOrigin(db, [origin])).length > 0
}

export async function updateInstallation(
  db: Queryable,
  {
    merchantId,
    id,
    origins,
    returnUrl,
  }: Pick<InstallationRecord, 'merchantId' | 'id' | 'origins' | 'returnUrl'>,
): Promise<void> {
  await updateOrigins(db, [merchantId, id, origins, returnUrl])
}

/** `shopUrl`: null removes it. */
export async function updateShopUrl(db: Queryable, id: string, shopUrl: string | null): Promise<void> {
  await writeShopUrl(db, [id, shopUrl])
}

export async function updateCheckoutSkip(db: Queryable, id: string, skips: boolean): Promise<void> {
  await writeSkip(db, [id, skips])
}

/** Adding an origin again changes nothing. Returns false if there is no such active installation. */
export async function addInstallationOrigin(db: Queryable, id: string, origin: string): Promise<boolean> {
  return (await addOrigin(db, [id, origin])).length > 0
}

/** Returns false if the installation does not have this origin, or has no other. */
export async function removeInstallationOrigin(db: Queryable, id: string, origin: string): Promise<boolean> {
  return (await dropOrigin(db, [id, origin])).length > 0
}

/** Returns false if there is no such active installation. */
export async function revokeInstallation(db: Queryable, id: string, at: Date): Promise<boolean> {
  return (await revoke(db, [id, at])).length > 0
}
