/**
 * Who may do each act, and how it is guarded. The console, the command line, mails and proposals obey this table.
 * Rule: an act that is not in the table belongs to nobody.
 */
import {
  ADMINISTRATORS,
  EVERYBODY,
  ends,
  factor,
  free,
  HOST,
  OPERATORS,
  OPERATORS_AND_VIEWERS,
  onTheHost,
  type Policy,
  reads,
  SHOP,
  SHOP_AND_CASHIERS,
  SHOP_AND_VIEWERS,
  secondPerson,
  sells,
} from './guards.ts'

export const POLICY = {
  // Payments.
  /** The payments of today, and finding a single one. */
  'payment list': reads(EVERYBODY),
  /** The payments of other days, and totals. */
  'payment history': reads(SHOP_AND_VIEWERS),
  'payment show': reads(EVERYBODY),
  /** What the provider has reported about a payment: its numbers there, its attempts and its warnings. */
  'payment log': reads(SHOP_AND_VIEWERS),
  /** The payments as a file. */
  'payment export': reads(SHOP_AND_VIEWERS),
  'link create': free(SHOP_AND_CASHIERS, 'It asks a buyer for money, for the account of the shop.'),
  /** Up to the person's own limit. */
  'payment refund': secondPerson(SHOP, 'money', 'It pays money out, above the limit with a second person.'),
  'payment returned': secondPerson(SHOP, 'money', 'It says that money was paid out.'),
  /** The money of the manual route, up to the person's own limit. */
  'payment confirm': secondPerson(SHOP, 'money', 'It says that money has arrived, and the shop delivers.'),
  'payment capture': secondPerson(SHOP, 'money', 'It collects money that is held.'),
  'payment void': secondPerson(SHOP, 'money', 'It gives up money that is held.'),
  'payment cancel': ends(SHOP),
  'payment resolve': secondPerson(OPERATORS, 'money', 'It says what happened to money.'),
  'receipt retry': free(SHOP, 'It prints a receipt for money that has moved.'),

  // A shop and what belongs to it.
  'merchant show': reads(SHOP_AND_VIEWERS),
  'product set': factor(
    SHOP,
    'redirect',
    'Another price decides how much a buyer pays. The owner is told. A wholly new product asks nothing, like a payment link.',
  ),
  'product remove': ends(SHOP),
  'merchant brand': sells(SHOP),
  'origin ask': free(SHOP, 'Somebody else approves it.'),
  'origin withdraw': ends(SHOP),
  'origin approve': sells(OPERATORS),
  'origin refuse': ends(OPERATORS),
  'origin waiting': reads(OPERATORS_AND_VIEWERS),
  'installation create': sells(SHOP),
  'address retire': ends(OPERATORS),
  'order list': reads(SHOP_AND_VIEWERS),
  'order move': sells(SHOP),
  'order note': sells(SHOP),
  'order mails': factor(
    SHOP,
    'redirect',
    'It decides who hears of orders and of changes. The old address is told.',
  ),
  'callback set': secondPerson(
    SHOP,
    'redirect',
    'Whoever gets the events decides what the shop believes is paid.',
  ),
  'callback verify': free(SHOP, 'It sends test events to the present address.'),
  'merchant copy': factor(
    OPERATORS,
    'redirect',
    'It adds prices and ways to pay. The owner is told. While a limit is set it makes no secret.',
  ),

  // What is set for the whole deployment.
  'setting list': reads(OPERATORS_AND_VIEWERS),

  // The settings of a shop.
  'merchant create': free(
    OPERATORS,
    'While a limit is set it makes no secret and sets no callback by itself.',
  ),
  'merchant rename': sells(OPERATORS),
  'merchant pause': ends(OPERATORS),
  'merchant close': ends(OPERATORS),
  'merchant resume': sells(OPERATORS),
  'merchant routes': factor(OPERATORS, 'redirect', 'It decides between which accounts the buyers choose.'),
  'callback rotate-secret': secondPerson(
    SHOP,
    'redirect',
    'Whoever knows the secret can tell the shop that it was paid.',
  ),
  /** Ends the replaced secrets of an overlap at once. */
  'callback end-secret': ends(SHOP),
  /** Calls of the API may carry the origin. */
  'origin add': sells(OPERATORS),
  'origin remove': ends(OPERATORS),
  'origin disapprove': ends(OPERATORS),
  'installation allow': sells(OPERATORS),
  'installation forbid': ends(OPERATORS),
  'installation shop': sells(OPERATORS),
  'installation checkout': sells(OPERATORS),
  'installation revoke': ends(OPERATORS),

  // API keys.
  'token issue': secondPerson(
    SHOP,
    'redirect',
    'With operations.write the token returns money by the API. The shop itself issues tokens that only read and create payments.',
  ),
  'token rotate': factor(
    OPERATORS,
    'redirect',
    'It keeps scopes and limits, and shows a new token, for which whoever replaces it answers. The owner is told.',
  ),
  'token set': secondPerson(
    OPERATORS,
    'redirect',
    'A higher limit lets the token return more. Lowering it is not guarded.',
  ),
  'token revoke': ends(SHOP),

  // What operators and shops work with.
  'subscription list': reads(SHOP_AND_VIEWERS),
  'subscription cancel': ends(SHOP),
  'reconcile list': reads(OPERATORS_AND_VIEWERS),
  'reconcile statement': free(OPERATORS, 'A statement confirms no money by itself.'),
  'reconcile format': sells(OPERATORS),
  'reconcile withdraw': free(
    OPERATORS,
    'It takes a statement out of the comparison. Payments, entries and decisions stay.',
  ),
  'service doctor': reads(OPERATORS_AND_VIEWERS),
  'desk list': reads(OPERATORS_AND_VIEWERS),
  'desk decide': free(OPERATORS, 'Each of its decisions is an act of this table, and is guarded as that.'),
  'event list': reads(SHOP_AND_VIEWERS),
  'event replay': free(SHOP, 'It sends the same events to the present address.'),
  /** The bank account of a shop. Somebody else approves it. */
  'account ask': secondPerson(SHOP, 'redirect', 'The buyers of the shop transfer their money to it.'),
  /** The public name of a shop that takes real money. Somebody else approves it. */
  'name ask': secondPerson(SHOP, 'redirect', 'Buyers read it as the name of who gets their money.'),

  // Accounts at providers.
  'account list': reads(OPERATORS_AND_VIEWERS),
  'account test': free(OPERATORS, 'It asks the provider something harmless.'),
  'account set': secondPerson(OPERATORS, 'redirect', 'The money of new payments goes there.'),
  'account rotate': secondPerson(
    OPERATORS,
    'redirect',
    'With other settings, or unchecked, the money may go elsewhere.',
  ),
  'account allow': secondPerson(OPERATORS, 'redirect', 'The money of the shop goes to the deployment.'),
  'account retire': secondPerson(
    OPERATORS,
    'redirect',
    "In favour of the deployment's account the money goes there.",
  ),

  // Second persons, the log and upkeep.
  'approval list': reads(OPERATORS_AND_VIEWERS),
  'approval grant': factor(OPERATORS, 'redirect', 'It does what another person has proposed.'),
  'approval refuse': ends(OPERATORS),
  /** What an own proposal has made, once. */
  'approval secret': factor(
    OPERATORS,
    'redirect',
    'It shows a token or a secret, once, to whoever has proposed it.',
  ),
  'audit list': reads(OPERATORS_AND_VIEWERS),
  'audit verify': reads(OPERATORS),
  'approval limit': secondPerson(
    ADMINISTRATORS,
    'redirect',
    'Raising it is what lets one person move more. Lowering it is not guarded.',
  ),
  'customer forget': factor(ADMINISTRATORS, 'redirect', 'It cannot be undone.'),
  'restore end': factor(OPERATORS, 'money', 'Refunds and renewals go on that waited after a restore.'),
  'mail list': reads(OPERATORS_AND_VIEWERS),
  'mail resend': free(OPERATORS, 'It sends the same mail to the present address.'),
  'mail check': reads(OPERATORS),
  'operation list': reads(OPERATORS_AND_VIEWERS),
  'receipt list': reads(OPERATORS_AND_VIEWERS),
  'saved-method revoke': ends(OPERATORS),
  /** Exists only in the sandbox. */
  'clock advance': free(OPERATORS, 'It moves the clock of the sandbox.'),

  // People.
  'user list': reads(ADMINISTRATORS),
  'user add': secondPerson(
    ADMINISTRATORS,
    'redirect',
    'A new person who may propose or grant could be anybody.',
  ),
  'user set': secondPerson(
    ADMINISTRATORS,
    'redirect',
    'A higher role or limit, another shop, or a new key lets somebody move money.',
  ),
  'user reset': secondPerson(ADMINISTRATORS, 'redirect', 'Whoever has the new link is that person.'),
  'user remove': factor(ADMINISTRATORS, 'redirect', 'The last two who may grant stay while a limit is set.'),

  // Exists only on the command line.
  'operation resolve': secondPerson(OPERATORS, 'money', 'It says what happened to money.'),
  'account customer': free(OPERATORS, 'It writes down how a bank names the shop.'),
  'event listen': free(
    OPERATORS,
    'It forwards signed events to a developer, for a while. It shows no secret.',
  ),
  'order print': reads(OPERATORS),
  'receipt resolve': free(OPERATORS, 'It says what became of a receipt. No money moves.'),
  'payment ask': free(OPERATORS, 'It asks the provider about the payment.'),
  'payment index': free(OPERATORS, 'It writes the search rows anew.'),
  'desk settle': free(OPERATORS, 'It closes a case that moves nothing.'),
  'reconcile close': free(OPERATORS, 'It closes a difference that moves nothing.'),
  'secrets rotate': onTheHost(ADMINISTRATORS),
  'secrets discard': onTheHost(ADMINISTRATORS),
  'database move': onTheHost(ADMINISTRATORS),
  'database reopen': onTheHost(ADMINISTRATORS),
  'database migrate': onTheHost(HOST),
  'backup create': onTheHost(HOST),
  'backup verify': onTheHost(HOST),
  'backup restore': onTheHost(ADMINISTRATORS),
  'restore confirm': onTheHost(HOST),
  'user recover': free(
    HOST,
    'The way out for whoever is locked out, on the machine alone. The person is told.',
  ),
} as const satisfies Record<string, Policy>
