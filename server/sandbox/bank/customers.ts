/**
 * The simulated bank's customers. Anybody may be one. A customer's secrets are computed from the bank's own key, the customer's
 * name and a version. Old and new versions are accepted until the old ones are withdrawn, so that a secret can be rotated
 * without a gap.
 */
import { createHmac } from 'node:crypto'
import {
  type BankOrder,
  nameOfSecret,
  openTerms,
  orderUrl,
  signatureOf,
} from '../../providers/sandbox/wire.ts'
import { isSameSecret } from '../request.ts'

const VERSION_MAX = 1_000
const CUSTOMER = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/

/** `oldest`: the oldest version that is accepted. `newest`: the newest that the customer has used. */
type SecretVersions = { oldest: number; newest: number }

export type CustomerStore = {
  find(customer: string): Promise<SecretVersions | null>
  /** Raises both versions to at least these. */
  raise(customer: string, versions: SecretVersions): Promise<void>
}

export type Customers = ReturnType<typeof createCustomers>

type CustomerParts = { store: CustomerStore; key: Buffer }

/** `key`: the bank's own. */
export function createCustomers(store: CustomerStore, key: Buffer) {
  const office: CustomerParts = { store, key }
  return {
    secretOf: (customer: string, version?: number): string => secretOf(office, customer, version),

    /** Returns whether a customer can have this name. */
    isPossibleName: (customer: string): boolean => CUSTOMER.test(customer),

    isCustomer: (customer: string, secret: string): Promise<boolean> =>
      hasSecret(office, customer, nameOfSecret(secret), (own) => isSameSecret(own, secret)),

    /** Returns the terms of an order's address, or null if none of the customer's secrets has sealed them. */
    async openTerms(
      customer: string,
      { name, ...sealed }: { terms: string; name: string; seal: string },
    ): Promise<string | null> {
      let text: string | null = null
      const isOwn = await hasSecret(office, customer, name, (own) => {
        text = openTerms(own, sealed)
        return text !== null
      })
      return isOwn ? text : null
    },

    /** Returns the address of this order's page, sealed with the newest secret that the customer uses. */
    async orderUrl(bankUrl: string, customer: string, order: BankOrder): Promise<string> {
      const { newest } = await versionsOf(office, customer)
      return orderUrl(bankUrl, customer, secretOf(office, customer, newest), order)
    },

    /** Returns one signature for each secret that the customer may have now. */
    async signaturesOf(customer: string, body: string): Promise<string> {
      const { oldest, newest } = await versionsOf(office, customer)
      const versions = Array.from({ length: newest - oldest + 1 }, (_, index) => oldest + index)
      return versions
        .map((version) => secretOf(office, customer, version))
        .map((secret) => `${nameOfSecret(secret)}=${signatureOf(secret, body)}`)
        .join(',')
    },

    /** From now on only this version and newer ones are accepted. */
    async withdrawSecretsBefore(customer: string, version: number): Promise<void> {
      await store.raise(customer, { oldest: version, newest: version })
    },
  }
}

function secretOf({ key }: CustomerParts, customer: string, version = 1): string {
  const digest = createHmac('sha256', key).update(`customer.${version}.${customer}`).digest('hex')
  return `bks_test_${version}_${digest}`
}

async function versionsOf({ store }: CustomerParts, customer: string): Promise<SecretVersions> {
  return (await store.find(customer)) ?? { oldest: 1, newest: 1 }
}

/** Returns whether `isRight` is true of the customer's secret of this name. Stores a version that is used for the first time. */
async function hasSecret(
  office: CustomerParts,
  customer: string,
  name: string,
  isRight: (secret: string) => boolean,
): Promise<boolean> {
  const version = Number(/^bks_test_(\d{1,4})$/.exec(name)?.[1])
  if (!CUSTOMER.test(customer) || !(version >= 1 && version <= VERSION_MAX)) return false
  if (!isRight(secretOf(office, customer, version))) return false
  const { oldest, newest } = await versionsOf(office, customer)
  if (version > newest) await office.store.raise(customer, { oldest, newest: version })
  return version >= oldest
}
