/**
 * What the action codes of a declined payment mean: whether the card can ever pay again, and what the buyer can do.
 * Source: appendix 1 of the manual of ArCa's gateway; 8204, 151018 and the positive forms are the same at other banks. A code that is
 * not in the table is soft, the buyer tries another card, and a person is told about it. It never ends a charge that is under way.
 */
import { createWordReader, rows, type WordReader } from '../driver/words.ts'
import type { Decline, Snapshot, Standing } from '../driver.ts'

type Category = NonNullable<Snapshot['declineCategory']>
/** `order`: how a declined order stands that has this code. */
export type Meaning = {
  decline: Decline
  declineCategory: Category
  order: Extract<Standing, 'declined' | 'cancelled' | 'expired'>
}

const CODES: Record<Decline, Partial<Record<Category, string>>> = {
  soft: {
    ask_another_card: '116 121 123 125 209 -20010 902 903 111 71015 -2013 -2012 1 110',
    ask_bank: `100 103 107 120 5 -2004 -2005 -2006 2006 -2009 -2011 -2015 -2016 -2019 -2021 151017`,
    try_later: '-1 907 909 910 -2018 151018 151019 341014',
    // The shop's own settings at the bank, or its limits. Another card does not help.
    technical: '109 904 913 914 -2002 2002 2003 2004 2005 8204 9001 341041',
    fraud: '-2001 999 2001',
  },
  hard: {
    ask_another_card: '101 104',
    fraud: '208 -2000 2000',
  },
}

const meaning = (
  decline: Decline,
  declineCategory: Category,
  order: Meaning['order'] = 'declined',
): Meaning => ({
  decline,
  declineCategory,
  order,
})

export const ACTION_CODES: Readonly<Record<string, Meaning>> = Object.fromEntries([
  ...(Object.entries(CODES) as [Decline, Partial<Record<Category, string>>][]).flatMap(([decline, all]) =>
    (Object.entries(all) as [Category, string][]).flatMap(([category, codes]) =>
      rows(meaning(decline, category), codes),
    ),
  ),
  // The time for the card's data is over. Nobody was declined.
  ...rows(meaning('soft', 'try_later', 'expired'), '-2007 2007 1001'),
  // The buyer pressed Cancel on the page of his bank.
  ...rows(meaning('soft', 'ask_another_card', 'cancelled'), '-2014'),
])

const OTHER = meaning('soft', 'ask_another_card')

/** Whether nobody has tried to pay the order. */
export const isUntried = (code: number | undefined): boolean => code === undefined || code === -100
/** A try has begun, or has succeeded. */
const WITHOUT_REASON = [-9000, 0]

/** With the other categories, and with codes of no table, nobody knows whether the bank of the card has had the charge. */
const OF_CARDS_BANK: readonly Category[] = ['ask_another_card', 'ask_bank', 'fraud']

/** Whether the table has this code as a refusal of the card's bank, or of the gateway before it. */
export function isRefusal(code: number | undefined): boolean {
  const known = ACTION_CODES[String(code)]
  return known?.order === 'declined' && OF_CARDS_BANK.includes(known.declineCategory)
}

export function meaningOfAction(
  code: number | undefined,
  reader: WordReader = createWordReader(),
): Meaning & { detail: string } {
  if (code === undefined || isUntried(code) || WITHOUT_REASON.includes(code))
    return { ...OTHER, detail: 'the bank names no reason' }
  return {
    ...reader.read('action code', ACTION_CODES, String(code), OTHER),
    detail: `the bank declined the payment with action code ${code}`,
  }
}
