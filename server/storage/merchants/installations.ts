import { statement } from '../db.ts'
import { fieldsOf, insertInto, type RecordOf, selected, valuesOf } from '../fields.ts'

const FIELDS = fieldsOf('installations', [
  'merchantId',
  'id',
  'publicKey',
  /** Serialised origins, compared byte for byte. */
  'origins',
  'returnUrl',
  /** Where *Back to the shop* leads; null: the start page of the return URL's origin. */
  'shopUrl',
  'provider',
  /** The button leads past our own page, where that page has nothing to ask or to say. */
  'skipsCheckout',
  'createdAt',
  'revokedAt',
])
export type InstallationRecord = RecordOf<'installations', typeof FIELDS>

const COLUMNS = selected(FIELDS)

const NEW = FIELDS.filter((each) => each !== 'revokedAt')

export const insertInstallation = statement('insert_installation', insertInto('installations', NEW)).run(
  valuesOf('installations', NEW),
)

export const findInstallationByPublicKey = statement<InstallationRecord>(
  'find_installation_by_public_key',
  `select ${COLUMNS} from world.installations where public_key = $1`,
).first((publicKey: string) => [publicKey])

export const findInstallation = statement<InstallationRecord>(
  'find_installation',
  `select ${COLUMNS} from world.installations where id = $1`,
).first((id: string) => [id])

/** Returns installations, oldest first, including revoked ones. */
export const listInstallations = statement<InstallationRecord>(
  'list_installations',
  `select ${COLUMNS} from world.installations where merchant_id = $1 order by id`,
).all((merchantId: string) => [merchantId])

/** Returns true if an active installation lists exactly this origin. */
export const isOriginInstalled = statement<{ id: string }>(
  'find_installation_with_origin',
  `select id from world.installations where origins @> array[$1] and revoked_at is null limit 1`,
).some((origin: string) => [origin])

export const updateInstallation = statement(
  'update_installation_origins',
  'update world.installations set origins = $3, return_url = $4 where merchant_id = $1 and id = $2',
).run(
  ({
    merchantId,
    id,
    origins,
    returnUrl,
  }: Pick<InstallationRecord, 'merchantId' | 'id' | 'origins' | 'returnUrl'>) => [
    merchantId,
    id,
    origins,
    returnUrl,
  ],
)

/** `shopUrl`: null removes it. */
export const updateShopUrl = statement<{ id: string }>(
  'set_installation_shop_url',
  'update world.installations set shop_url = $2 where id = $1 returning id',
).run((id: string, shopUrl: string | null) => [id, shopUrl])

export const updateCheckoutSkip = statement(
  'set_installation_checkout_skip',
  'update world.installations set skips_checkout = $2 where id = $1',
).run((id: string, skips: boolean) => [id, skips])

/** Adding an origin again changes nothing. Returns false if there is no such active installation. */
export const addInstallationOrigin = statement<{ id: string }>(
  'add_installation_origin',
  `update world.installations set origins = case when $2 = any(origins) then origins else array_append(origins, $2) end
   where id = $1 and revoked_at is null returning id`,
).some((id: string, origin: string) => [id, origin])

/** Returns false if the installation does not have this origin, or has no other. */
export const removeInstallationOrigin = statement<{ id: string }>(
  'remove_installation_origin',
  `update world.installations set origins = array_remove(origins, $2)
   where id = $1 and $2 = any(origins) and cardinality(origins) > 1 returning id`,
).some((id: string, origin: string) => [id, origin])

/** Returns false if there is no such active installation. */
export const revokeInstallation = statement<{ id: string }>(
  'revoke_installation',
  'update world.installations set revoked_at = $2 where id = $1 and revoked_at is null returning id',
).some((id: string, at: Date) => [id, at])
