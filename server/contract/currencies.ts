/**
 * The currencies of the API, the products, the pages and the commands. The amounts that people read and type follow this table.
 * The database has the same codes once, in its domain `currency`, and a test compares the two.
 * `digits`: the decimals of ISO 4217. An amount in minor units counts in these.
 * `isWhole`: people use no decimals, so none are shown, asked for or accepted where people type.
 * `signs`: how people write the currency in an amount, besides its code.
 * `suggested`: the limits that the set-up suggests, in minor units: from which sum on a second person is asked, and how much a new
 * person may return of one payment.
 * `transferCode`: the standard of the QR code that fills in a bank transfer.
 */
export const CURRENCIES = {
  AMD: {
    digits: 2,
    isWhole: true,
    signs: ['֏', 'դր.', 'դր', 'драм'],
    suggested: { secondPerson: 20_000_000, person: 4_000_000 },
  },
  USD: { digits: 2, isWhole: false, signs: ['$'], suggested: { secondPerson: 50_000, person: 10_000 } },
  EUR: {
    digits: 2,
    isWhole: false,
    signs: ['€'],
    suggested: { secondPerson: 50_000, person: 10_000 },
    transferCode: 'EPC',
  },
} as const satisfies Record<string, CurrencyFacts>

// Three decimals would not compile. They need another AMOUNT_PATTERN in contract/link.ts first.
type CurrencyFacts = ({ digits: 2; isWhole: boolean } | { digits: 0; isWhole: true }) & {
  signs: readonly string[]
  suggested: { secondPerson: number; person: number }
  transferCode?: 'EPC'
}

export const CURRENCY_CODES = Object.keys(CURRENCIES) as (keyof typeof CURRENCIES)[]
