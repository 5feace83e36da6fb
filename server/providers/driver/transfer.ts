/** What a buyer needs who pays by a bank transfer of his own. */
export type Transfer = {
  /** Null: the shop tells its buyers by itself where to pay. */
  account: {
    recipient: string
    bank: string | null
    /** As banks write it: an IBAN in groups of four. */
    number: string
    isIban: boolean
    bic: string | null
  } | null
  /** For so many days after the buyer has chosen this way the order is kept. */
  keptDays: number
  /** How many days before that date the buyer is reminded. 0: never. */
  remindDays: number
}
