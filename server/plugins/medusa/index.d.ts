/** The options of the plug-in and of its payment provider, which are the same. */
export type KassaOptions = {
  /** Such as https://pay.example. */
  url: string
  /** The merchant token, which begins with ksk_. */
  token: string
  /** The callback secret, which begins with whsec_. While it is replaced, both, with a space between them. */
  webhookSecret: string
}
