/** What PayPal's refusals of a payment mean for the buyer and for a saved wallet. */
import { createWordReader, rows, type WordReader } from '../driver/words.ts'
import type { Decline, Snapshot } from '../driver.ts'

type Meaning = { category: NonNullable<Snapshot['declineCategory']>; decline: Decline; detail: string }

const ANOTHER: Meaning = {
  category: 'ask_another_card',
  decline: 'soft',
  detail: 'PayPal could not charge the card or bank account that the buyer chose',
}
const ACCOUNT: Meaning = {
  category: 'ask_bank',
  decline: 'hard',
  detail: "the buyer's PayPal account is closed or restricted",
}
const GONE: Meaning = {
  category: 'ask_another_card',
  decline: 'hard',
  detail: 'the buyer has removed the saved PayPal account',
}
const RISK: Meaning = {
  category: 'fraud',
  decline: 'soft',
  detail: 'PayPal or the shop’s filters blocked the payment',
}
/**
 * By the issue of a refusal. An issue that is not listed is a refusal of the request itself, or of the shop's account. It says nothing
 * about the buyer.
 */
const ISSUES: Record<string, Meaning> = {
  INSTRUMENT_DECLINED: ANOTHER,
  PAYER_ACTION_REQUIRED: { ...ANOTHER, detail: 'the buyer has to confirm the payment again at PayPal' },
  REDIRECT_PAYER_FOR_ALTERNATE_FUNDING: ANOTHER,
  PAYER_CANNOT_PAY: ANOTHER,
  TRANSACTION_REFUSED: ANOTHER,
  TRANSACTION_LIMIT_EXCEEDED: { ...ANOTHER, detail: "the amount is above the buyer's limit at PayPal" },
  ...Object.fromEntries(
    rows(
      ANOTHER,
      `ALIAS_DECLINED_BY_PROCESSOR CARD_BRAND_NOT_SUPPORTED CARD_TYPE_NOT_SUPPORTED CURRENCY_NOT_SUPPORTED_FOR_CARD_TYPE
      PAYMENT_SOURCE_INFO_CANNOT_BE_VERIFIED`,
    ),
  ),
  CARD_EXPIRED: { ...ANOTHER, decline: 'hard', detail: 'the card has expired' },
  REFERENCED_CARD_EXPIRED: { ...ANOTHER, decline: 'hard', detail: 'the card has expired' },
  MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED: {
    ...ANOTHER,
    category: 'try_later',
    detail: 'PayPal allows no further attempt for this order',
  },
  PAYER_ACCOUNT_LOCKED_OR_CLOSED: ACCOUNT,
  PAYER_ACCOUNT_RESTRICTED: ACCOUNT,
  PAYMENT_SOURCE_CANNOT_BE_USED: ANOTHER,
  PAYMENT_SOURCE_DECLINED_BY_PROCESSOR: ANOTHER,
  TOKEN_ID_NOT_FOUND: GONE,
  TOKEN_EXPIRED: GONE,
  AGREEMENT_ALREADY_CANCELLED: GONE,
  BILLING_AGREEMENT_NOT_FOUND: GONE,
  TRANSACTION_BLOCKED_BY_PAYEE: RISK,
  PAYEE_BLOCKED_TRANSACTION: RISK,
  COMPLIANCE_VIOLATION: RISK,
  DUPLICATE_INVOICE_ID: {
    category: 'technical',
    decline: 'soft',
    detail: 'PayPal says that an order with this number was paid already: look it up at PayPal',
  },
}

/**
 * For a card behind PayPal: by the processor's response code. Source: the document of Payments 2.5. Codes without a meaning of their
 * own say that the buyer uses another card.
 */
export const PROCESSOR_WORDS: Readonly<Record<string, Meaning>> = Object.fromEntries([
  ...rows(
    ANOTHER,
    `0000 00N7 0R00 1000 10BR 1300 1310 1312 1317 1320 1330 1335 1340 1350 1352 1360 1370 1380 1382 1384
    1390 1393 5100 5110 5130 5135 5160 5170 5180 5190 5200 5210 5500 5710 5800 5900 5930 5950 7700
    7710 7800 7900 PCNR PCVV PP06 PPRN PPAD PPAB PPAE PPAG PPAI PPAR PPAU PPAV PPAX PPBG PPC2 PPCE
    PPCO PPCR PPCT PPCU PPD3 PPDC PPDI PPDV PPDT PPEF PPEL PPEX PPGR PPH1 PPIF PPII PPIM PPIT PPLR
    PPLS PPMB PPMC PPMD PPNC PPNL PPNM PPNT PPPH PPPI PPPM PPQC PPS0 PPS1 PPS2 PPS3 PPS4 PPS5 PPS6
    PPSC PPSD PPSE PPTE PPTF PPTR PPTV PPUA PPUC PPUE PPUI PPUP PPUR PPVC PPVE PPVT`,
  ),
  ...rows<Meaning>(
    { ...ANOTHER, category: 'ask_bank', detail: "the buyer's bank refused" },
    '0500 0100 0580 5650 5700 9530 9540 9510',
  ),
  ...rows<Meaning>(
    { ...ANOTHER, category: 'try_later', detail: 'the bank asks to try again' },
    '9100 0800 0880 0890 0960 5910 5920 8000 8010 8020 8030 8100 8110 8220 9600 7600 PPER PPTT PPTI',
  ),
  ...rows<Meaning>(
    { ...ANOTHER, decline: 'hard', detail: 'the card or its account does not exist any more' },
    '0390 5140 6300 5150',
  ),
  ...rows(RISK, 'PPFE PPFI PPFR PPFV PPRE PPRF PPRR'),
  ...rows<Meaning>({ ...ANOTHER, detail: 'there is not enough money on the card' }, '5120'),
  ...rows<Meaning>({ ...ANOTHER, decline: 'hard', detail: 'the card has expired' }, '5400'),
  ...rows<Meaning>({ ...RISK, decline: 'hard', detail: 'the bank suspects fraud' }, '9500'),
  ...rows<Meaning>({ ...RISK, decline: 'hard', detail: 'the card was reported lost or stolen' }, '9520'),
])

/** Returns null for an issue that is not about the buyer's means of payment. */
export function declineOfIssue(issue: string): Meaning | null {
  return Object.hasOwn(ISSUES, issue) ? (ISSUES[issue] ?? null) : null
}

/** For a payment that PayPal lists as declined. */
export function declineOfProcessor(
  code: string | undefined,
  reader: WordReader = createWordReader(),
): Meaning {
  return code === undefined ? ANOTHER : reader.read('processor response', PROCESSOR_WORDS, code, ANOTHER)
}

/** Returns the first of these issues that is about the buyer's means of payment. */
export function findDecline(issues: readonly string[]): { issue: string; meaning: Meaning } | null {
  for (const issue of issues) {
    const meaning = declineOfIssue(issue)
    if (meaning) return { issue, meaning }
  }
  return null
}
