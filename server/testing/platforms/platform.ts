/**
 * What a driver of a shop platform offers to the shared scenarios. A driver starts the real platform with our plug-in as processes of
 * its own, plays its buyer and its staff through the platform's own interfaces, and reads how the order stands there.
 */

/** An amount in minor units, with Kassa's digits. */
export type Sum = { amountMinor: number; currency: 'AMD' | 'USD' | 'EUR' }

/** The address and the two secrets, which are all that a platform holds. */
export type KassaAccess = { url: string; token: string; webhookSecret: string }

export type Opening = {
  kassa: KassaAccess
  /** Where the platform is installed. It may be read, and is shared by all runs. */
  install: string
  /** An empty folder of this run alone. */
  folder: string
  /** An empty PostgreSQL database of this run alone. */
  databaseUrl: string
}

/** In words that all platforms share. `open`: the buyer may still pay. `held`: authorized, and not captured yet. */
export type OrderState = 'open' | 'held' | 'paid' | 'cancelled'
export type OrderView = {
  state: OrderState
  /** What the platform's order counts as received, before refunds. */
  paidMinor: number
  /** What it counts as returned for good. A refund that is under way is not in it. */
  refundedMinor: number
  /** Attempts to pay that ended without money, and that the order shows. */
  failures: number
  /** Notes for the staff. */
  notes: string[]
}

export type Checkout = { checkoutUrl: string; paymentId: string }

/** The text of the platform's refusal, or null if it did what was asked. */
export type Refusal = string | null

export type PlatformShop = {
  /** The plug-in's event route. */
  callbackUrl: string
  /** Such as `Vendure 3.7.3`. */
  version: string
  /** Puts goods of this sum into a new cart, up to the step before paying. Returns how the driver calls it. */
  createOrder(sum: Sum): Promise<string>
  /** Presses the platform's button to pay. */
  checkOut(order: string): Promise<Checkout>
  /** Adds the same goods once more. Returns the new total in minor units. */
  changeCart(order: string): Promise<number>
  /** Opens the page to which the bank has sent the buyer back. */
  comeBack(order: string, address: string): Promise<void>
  view(order: string): Promise<OrderView>
  refund(order: string, amountMinor: number): Promise<Refusal>
  capture(order: string): Promise<Refusal>
  /** For platforms with channels: opens another one with a payment method of the same code. Returns the shop in it. */
  openChannel?(access: KassaAccess): Promise<Pick<PlatformShop, 'createOrder' | 'checkOut' | 'comeBack'>>
  /** For platforms where a return is a call with the order's code: somebody else makes it. Returns the refusal. */
  comeBackAsStranger?(order: string): Promise<Refusal>
  /** For platforms whose staff can ask for a part of what is held. */
  capturePart?(order: string, amountMinor: number): Promise<Refusal>
  /** For platforms where code of the shop, without the staff's interface, can ask for a part of what is held. */
  capturePartByCode?(order: string, amountMinor: number): Promise<Refusal>
  void(order: string): Promise<Refusal>
  /** Stores these settings as the shop's staff would. Returns the refusal. */
  saveSettings(access: KassaAccess): Promise<Refusal>
  /** Ends the platform at once, as a lack of memory would. */
  kill(): Promise<void>
  /** Starts it again after `kill`. Resolves when it responds. */
  restart(): Promise<void>
  /** What the platform has printed, for a failed test. */
  output(): string
  close(): Promise<void>
}

/** What a platform cannot do, each with its reason. Its scenarios do not run. */
export type Gap = 'capture' | 'void' | 'changeCart' | 'saveSettings'

export type Platform = {
  name: string
  /** `folder`: where it is installed. `missing`: how to install it, as one sentence. */
  find(): { folder: string } | { missing: string }
  gaps?: Partial<Record<Gap, string>>
  /** Returns what a compiler says against the sources of the plug-in. `folder`: an empty one. */
  checkSources(folder: string, install: string): Promise<string[]>
  open(opening: Opening): Promise<PlatformShop>
}
