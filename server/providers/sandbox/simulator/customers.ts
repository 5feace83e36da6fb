/**
 * The simulated bank's customers. Anybody may be one: a customer's secrets follow from the bank's own key, the customer's
 * number and a version. Old and new versions are taken until the old ones are withdrawn, so that a secret can be rotated
 * without a gap.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type BankOrder, nameOfSecret, orderUrl, sealOf, signatureOf } from '../wire.ts'

const VERSION_MAX = 1_000
const CUSTOMER = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/

/** `oldest`: no older version is taken. `newest`: the newest that the customer has used. */
type Versions = { oldest: number; newest: number }

export type CustomerBooks = {
  find(customer: string): Promise<Versions | null>
  /** Raises both to at least these. */
  raise(customer: string, versions: Versions): Promise<void>
}

export type Customers = ReturnType<typeof createCustomers>

/** `key`: the bank's own. */
export function createCustomers(books: CustomerBooks, key: Buffer) {
  function secretOf(customer: string, version = 1): string {
    const digest = createHmac('sha256', key).update(`customer.${version}.${customer}`).digest('hex')
    return `bks_test_${version}_${digest}`
  }

  const versionsOf = async (customer: string): Promise<Versions> =>
    (await books.find(customer)) ?? { oldest: 1, newest: 1 }

  /** Whether `isRight` holds of the customer's secret of this name. A version that is used for the first time is noted. */
  async function holds(
    customer: string,
    name: string,
    isRight: (secret: string) => boolean,
  ): Promise<boolean> {
    const version = Number(/^bks_test_(\d{1,4})$/.exec(name)?.[1])
    if (!CUSTOMER.test(customer) || !(version >= 1 && version <= VERSION_MAX)) return false
    if (!isRight(secretOf(customer, version))) return false
    const { oldest, newest } = await versionsOf(customer)
    if (version > newest) await books.raise(customer, { oldest, newest: version })
    return version >= oldest
  }

  return {
    secretOf,

    /** Whether a customer can have this name. */
    isPossibleName: (customer: string): boolean => CUSTOMER.test(customer),

    isCustomer: (customer: string, secret: string): Promise<boolean> =>
      holds(customer, nameOfSecret(secret), (own) => isEqual(own, secret)),

    /** Whether one of the customer's secrets has sealed these terms. */
    hasSealed: (
      customer: string,
      terms: string,
      { name, seal }: { name: string; seal: string },
    ): Promise<boolean> => holds(customer, name, (own) => isEqual(sealOf(own, terms), seal)),

    /** The address of this order's page, sealed with the newest secret that the customer uses. */
    async orderUrl(bankUrl: string, customer: string, order: BankOrder): Promise<string> {
      const { newest } = await versionsOf(customer)
      return orderUrl(bankUrl, customer, secretOf(customer, newest), order)
    },

    /** One signature for each secret that the customer may hold now. */
    async signaturesOf(customer: string, body: string): Promise<string> {
      const { oldest, newest } = await versionsOf(customer)
      const versions = Array.from({ length: newest - oldest + 1 }, (_, index) => oldest + index)
      return versions
        .map((version) => secretOf(customer, version))
        .map((secret) => `${nameOfSecret(secret)}=${signatureOf(secret, body)}`)
        .join(',')
    },

    /** From now on only this version and newer ones are taken. */
    async withdrawSecretsBefore(customer: string, version: number): Promise<void> {
      await books.raise(customer, { oldest: version, newest: version })
    },
  }
}

function isEqual(expected: string, given: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(given)]
  return one.length === other.length && timingSafeEqual(one, other)
}
