/**
 * How each act of a person is guarded: the one table that the console and the command line read. An act of the console without a row
 * does not compile, and a test finds a command without one.
 */
import type { Act } from './roles.ts'

/**
 * `none`: the role is enough. `factor`: in the console the second factor too. `person`: besides, while a limit is set, a second person
 * grants it. What an act does decides within its row: an amount up to the limit, or a limit that falls, needs no second person.
 */
export type Guard = 'none' | 'factor' | 'person'

/**
 * `money`: it moves money. `redirect`: it decides where money goes, who hears of it, or who may move it. The second factor is
 * remembered for each of the two.
 */
export type Stakes = 'money' | 'redirect'

type Row = { guard: 'none'; why: string } | { guard: 'factor' | 'person'; stakes: Stakes; why: string }

const none = (why: string) => ({ guard: 'none', why }) as const
const factor = (stakes: Stakes, why: string) => ({ guard: 'factor', stakes, why }) as const
const person = (stakes: Stakes, why: string) => ({ guard: 'person', stakes, why }) as const

const READS = none('It only reads.')
const SELLS = none('It moves no money, and redirects none.')
const ENDS = none('It ends or lowers something, which is never guarded.')
const HOST = none('Whoever runs commands on the machine could read and change the whole database.')

/** The acts of the console. A command has the same name. */
const OF_CONSOLE = {
  'payment list': READS,
  'payment history': READS,
  'payment show': READS,
  'payment log': READS,
  'payment export': READS,
  'link create': none('It asks a buyer for money, for the account of the shop.'),
  'payment refund': person('money', 'It pays money out, above the limit with a second person.'),
  'payment returned': person('money', 'It says that money was paid out.'),
  'payment confirm': person('money', 'It says that money has arrived, and the shop delivers.'),
  'payment capture': person('money', 'It collects money that is held.'),
  'payment cancel': ENDS,
  'payment void': person('money', 'It gives up money that is held.'),
  'payment resolve': person('money', 'It says what happened to money.'),
  'receipt retry': none('It prints a receipt for money that has moved.'),
  'merchant show': READS,
  'product set': factor(
    'redirect',
    'Another price decides how much a buyer pays. The owner is told. A wholly new product asks nothing, like a payment link.',
  ),
  'product remove': ENDS,
  'merchant brand': SELLS,
  'origin ask': none('Somebody else approves it.'),
  'origin withdraw': ENDS,
  'origin approve': SELLS,
  'origin refuse': ENDS,
  'origin waiting': READS,
  'installation create': SELLS,
  'address retire': ENDS,
  'order list': READS,
  'order move': SELLS,
  'order note': SELLS,
  'order mails': factor(
    'redirect',
    'It decides who hears of orders and of changes. The old address is told.',
  ),
  'callback set': person('redirect', 'Whoever gets the events decides what the shop believes is paid.'),
  'callback verify': none('It sends test events to the present address.'),
  'merchant copy': factor(
    'redirect',
    'It adds prices and ways to pay. The owner is told. While a limit is set it makes no secret.',
  ),
  'setting list': READS,
  'merchant create': none('While a limit is set it makes no secret and sets no callback by itself.'),
  'merchant rename': SELLS,
  'merchant pause': ENDS,
  'merchant close': ENDS,
  'merchant resume': SELLS,
  'merchant routes': factor('redirect', 'It decides between which accounts the buyers choose.'),
  'callback address': person('redirect', 'The same as callback set.'),
  'callback rotate-secret': person(
    'redirect',
    'Whoever knows the secret can tell the shop that it was paid.',
  ),
  'callback end-secret': ENDS,
  'origin add': SELLS,
  'origin remove': ENDS,
  'origin disapprove': ENDS,
  'installation allow': SELLS,
  'installation forbid': ENDS,
  'installation shop': SELLS,
  'installation checkout': SELLS,
  'installation revoke': ENDS,
  'token issue': person('redirect', 'With operations.write the token returns money by the API.'),
  'token set': person('redirect', 'A higher limit lets the token return more. Lowering it is not guarded.'),
  'token rotate': factor('redirect', 'It keeps scopes and limits, and shows a new token. The owner is told.'),
  'token revoke': ENDS,
  'subscription list': READS,
  'subscription cancel': ENDS,
  'reconcile list': READS,
  'reconcile statement': none('A statement confirms no money by itself.'),
  'reconcile format': SELLS,
  'reconcile withdraw': none(
    'It takes a statement out of the comparison. Payments, entries and decisions stay.',
  ),
  'service doctor': READS,
  'desk list': READS,
  'desk decide': none('Each of its decisions is an act of this table, and is guarded as that.'),
  'event list': READS,
  'event replay': none('It sends the same events to the present address.'),
  'account ask': person('redirect', 'The buyers of the shop transfer their money to it.'),
  'name ask': person('redirect', 'Buyers read it as the name of who gets their money.'),
  'account list': READS,
  'account test': none('It asks the provider something harmless.'),
  'account set': person('redirect', 'The money of new payments goes there.'),
  'account rotate': person('redirect', 'With other settings, or unchecked, the money may go elsewhere.'),
  'account allow': person('redirect', 'The money of the shop goes to the deployment.'),
  'account retire': person('redirect', "In favour of the deployment's account the money goes there."),
  'approval list': READS,
  'approval grant': factor('redirect', 'It does what another person has proposed.'),
  'approval refuse': ENDS,
  'approval secret': factor('redirect', 'It shows a token or a secret, once, to whoever has proposed it.'),
  'audit list': READS,
  'audit verify': READS,
  'approval limit': person(
    'redirect',
    'Raising it is what lets one person move more. Lowering it is not guarded.',
  ),
  'customer forget': factor('redirect', 'It cannot be undone.'),
  'restore end': factor('money', 'Refunds and renewals go on that waited after a restore.'),
  'mail list': READS,
  'mail resend': none('It sends the same mail to the present address.'),
  'mail check': READS,
  'operation list': READS,
  'receipt list': READS,
  'saved-method revoke': ENDS,
  'clock advance': none('It moves the clock of the sandbox.'),
  'user list': READS,
  'user add': person('redirect', 'A new person who may propose or grant could be anybody.'),
  'user set': person(
    'redirect',
    'A higher role or limit, another shop, or a new key lets somebody move money.',
  ),
  'user reset': person('redirect', 'Whoever has the new link is that person.'),
  'user remove': factor('redirect', 'The last two who may grant stay while a limit is set.'),
} as const satisfies Record<Act, Row>

/** The acts that the command line alone has. */
const OF_COMMANDS = {
  'operation resolve': person('money', 'It says what happened to money.'),
  'account customer': none('It writes down how a bank names the shop.'),
  'event listen': none('It forwards signed events to a developer, for a while. It shows no secret.'),
  'order print': READS,
  'receipt resolve': none('It says what became of a receipt. No money moves.'),
  'payment ask': none('It asks the provider about the payment.'),
  'payment index': none('It writes the search rows anew.'),
  'desk settle': none('It closes a case that moves nothing.'),
  'reconcile close': none('It closes a difference that moves nothing.'),
  'secrets rotate': HOST,
  'secrets discard': HOST,
  'database move': HOST,
  'database reopen': HOST,
  'database migrate': HOST,
  'backup create': HOST,
  'backup verify': HOST,
  'backup restore': HOST,
  'restore confirm': HOST,
  'user recover': none('The way out for whoever is locked out, on the machine alone. The person is told.'),
} as const satisfies Record<string, Row>

export const GUARDS = { ...OF_CONSOLE, ...OF_COMMANDS }
export type GuardedAct = keyof typeof GUARDS
/** The acts that may need a second person. `callback address` is the act `callback set` under another role. */
export type SecondPersonAct = Exclude<
  { [Name in GuardedAct]: (typeof GUARDS)[Name]['guard'] extends 'person' ? Name : never }[GuardedAct],
  'callback address'
>

/**
 * Whether processes decide by what the act changes: where money goes, what it costs, or who may still ask for it. They keep that in
 * memory for a moment.
 */
export function isKeptInMemory(act: string): boolean {
  const row: Row | undefined = Object.hasOwn(GUARDS, act) ? GUARDS[act as GuardedAct] : undefined
  return row === ENDS || stakesOf(act) === 'redirect'
}

/** Returns what the act has at stake, if the console asks for the second factor; null if the role is enough. */
export function stakesOf(act: string): Stakes | null {
  const row: Row | undefined = Object.hasOwn(GUARDS, act) ? GUARDS[act as GuardedAct] : undefined
  return row && row.guard !== 'none' ? row.stakes : null
}
