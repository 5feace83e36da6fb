/** What the columns of a table mean, by their names and by the cells below them. */
import { findByBalance } from './balance.ts'
import { isAmount, isDay, mayNameOrder, plainName, type Role, rolesByName } from './roles.ts'

export type Roles = Partial<Record<Role, number>>
export type Layout = {
  /** The names of the columns. Without a head they are numbers: `1`, `2`. */
  names: string[]
  /** The line of the first row of the head, and how many rows it has. For a table without a head: the line of its first row, and 0. */
  head: { line: number; rows: number }
  roles: Roles
  orders: number[]
  texts: number[]
  /** The currency that is stated above the table. */
  currency?: string | undefined
  /** The first line below the head. */
  sample: string[]
  /** How many rows of the beginning are lines. */
  lines: number
  /** The cells of the columns of money, in the rows with a day, where only the balance may prove which have the amounts. */
  open: ReadonlyMap<number, readonly string[]>
}

/** A number that can only be money: with decimals or with a currency. */
export const hasDecimals = (cell: string) =>
  isAmount(cell) && /\D/.test(cell.replace(/^-/, '')) && !isDay(cell)

/** The rows below the head. `share`: most cells fit. `some`: at least a third fits, which is enough if the name of the column agrees. */
type Body = {
  rows: string[][]
  column(at: number): string[]
  share(at: number, fits: (cell: string) => boolean): boolean
  some(at: number, fits: (cell: string) => boolean): boolean
  isMoney(at: number): boolean
}

function bodyOf(rows: string[][]): Body {
  const column = (at: number) => rows.map((cells) => cells[at] ?? '').filter((cell) => cell !== '')
  const share = (at: number, fits: (cell: string) => boolean) => {
    const cells = column(at)
    return cells.length > 0 && cells.filter(fits).length * 2 > cells.length
  }
  return {
    rows,
    column,
    share,
    some: (at, fits) => column(at).filter(fits).length * 3 >= column(at).length,
    isMoney: (at) => share(at, isAmount) && !share(at, isDay),
  }
}

/** `isByCells`: roles may follow from the cells alone, so the column of the days may have any name. */
export function describe(
  names: string[],
  rows: string[][],
  { head, isByCells }: { head: Layout['head']; isByCells: boolean },
): Layout {
  const body = bodyOf(rows)
  const roles = head.rows > 0 ? rolesOfNames(names, body) : {}
  if (isByCells) addByCells(roles, names, body)
  const open = addMoney(roles, names, body)
  const taken = new Set(Object.values(roles))
  const rest = [...names.keys()].filter((at) => !taken.has(at))
  const orders = rest.filter((at) => head.rows > 0 && mayNameOrder(names[at] ?? ''))
  const texts = rest.filter((at) => !orders.includes(at) && !body.isMoney(at) && !body.share(at, isDay))
  const isLine = (cells: string[]) =>
    isDay(cells[roles.at ?? -1] ?? '') &&
    [roles.amount, roles.debit, roles.credit, ...open.keys()].some((at) => isAmount(cells[at ?? -1] ?? ''))
  const lines = rows.filter(isLine).length
  return { names, head, roles, orders, texts, sample: rows[0] ?? [], lines, open }
}

/** Tries all pairs of columns against all others. That is slow, so it is called only for the layout that was chosen. */
export function withBalance(layout: Layout): Layout {
  const { open, roles, orders } = layout
  if (open.size === 0) return layout
  const proven = findByBalance(open)
  if (!proven) return { ...layout, lines: 0, open: new Map() }
  const amounts = [proven.amount, proven.debit, proven.credit].map((at) => open.get(at ?? -1) ?? [])
  const rows = [...(open.get(proven.balance ?? -1) ?? []).keys()]
  return {
    ...layout,
    roles: { ...roles, ...proven },
    orders: orders.filter((at) => !Object.values(proven).includes(at)),
    lines: rows.filter((row) => amounts.some((cells) => isAmount(cells[row] ?? ''))).length,
    open: new Map(),
  }
}

const OF_MONEY = ['amount', 'fee', 'net', 'balance', 'debit', 'credit']

function canBe({ column, share, some }: Body, role: Role, at: number): boolean {
  if (column(at).length === 0) return !['at', 'amount'].includes(role)
  if (role === 'at') return some(at, isDay)
  if (OF_MONEY.includes(role)) return some(at, isAmount)
  if (role === 'currency' || role === 'feeCurrency')
    return share(at, (cell) => /^\p{L}{3}$|^\p{Sc}$/u.test(cell))
  if (role === 'time') return share(at, (cell) => /^\d{1,2}[:.]\d\d/.test(cell) && !isDay(cell))
  return true
}

const PLAIN_AMOUNT =
  /^(amount|sum|total|betrag|сумма|գումար|գումարը|importe|montant|importo|kwota|bedrag|tutar)$/
const TOTAL = /^(total|amount|(grand )?total( amount)?|gesamt(betrag)?|итого|всего|сумма итого|ընդամենը)$/

function rolesOfNames(names: string[], body: Body): Roles {
  const { rows, column, share } = body
  const roles = rolesByName(names, rows.length > 0 ? (role, at) => canBe(body, role, at) : undefined)
  const has = (at: number | undefined, pattern: RegExp) => column(at ?? -1).some((cell) => pattern.test(cell))
  // Debit and credit say the direction, and an amount without a sign does not. So the two columns count.
  const hasBoth = roles.debit !== undefined && roles.credit !== undefined
  const isSigned = has(roles.amount, /[^\p{L}\d\s.,'\p{Sc}]|\d\s*(?:dr|db?|s|дт)\.?$/iu)
  if (hasBoth && !isSigned && (has(roles.debit, /[1-9]/) || has(roles.credit, /[1-9]/))) delete roles.amount
  // A debit column without a credit column, or the reverse, may be about something else.
  const isAlone = [roles.debit, roles.credit].some((at) => at !== undefined && share(at, hasDecimals))
  if (roles.amount !== undefined || (!hasBoth && !isAlone)) {
    delete roles.debit
    delete roles.credit
  }
  // Two columns with the same name may have different amounts, so neither counts as the amount.
  const isTwin = (name: string, at: number) =>
    at !== roles.amount &&
    plainName(name) === plainName(names[roles.amount ?? -1] ?? '') &&
    share(at, isAmount)
  // With tax or without it: an amount and a total beside each other may differ.
  const isTotal = (name: string, at: number) =>
    at !== roles.amount &&
    TOTAL.test(plainName(name)) &&
    rows.some((cells) => isAmount(cells[at] ?? '') && cells[at] !== cells[roles.amount ?? -1])
  const isPlain = PLAIN_AMOUNT.test(plainName(names[roles.amount ?? -1] ?? ''))
  if (
    roles.amount !== undefined &&
    names.some((name, at) => isTwin(name, at) || (isPlain && isTotal(name, at)))
  )
    delete roles.amount
  if (isOfOther(names[roles.amount ?? -1], names[roles.currency ?? -1])) delete roles.currency
  return roles
}

function addByCells(roles: Roles, names: string[], { share }: Body): void {
  const first = (fits: (cell: string) => boolean) => [...names.keys()].find((at) => share(at, fits))
  addRole(roles, 'at', first(isDay))
  const isCode = (cell: string) => /^[A-Z]{3}$/.test(cell)
  addRole(roles, 'currency', first(isCode))
}

const OPEN_MAX = 8

/** If no name says which column has the amounts, a single column of money has them. Returns several columns for the balance to prove. */
function addMoney(roles: Roles, names: string[], { rows, share, isMoney }: Body): Layout['open'] {
  if (roles.amount !== undefined || roles.debit !== undefined || roles.credit !== undefined) return new Map()
  const taken = new Set(Object.values(roles))
  const money = [...names.keys()].filter((at) => !taken.has(at) && isMoney(at))
  const amounts = money.filter((at) => share(at, hasDecimals))
  if (amounts.length === 1) addRole(roles, 'amount', amounts[0])
  if (amounts.length === 1 || money.length > OPEN_MAX) return new Map()
  return new Map(money.map((at) => [at, cellsAt(rows, roles, at)]))
}

/** The cells of a column in the rows that have a day. */
const cellsAt = (rows: string[][], roles: Roles, at: number) =>
  rows.filter((cells) => isDay(cells[roles.at ?? -1] ?? '')).map((cells) => cells[at] ?? '')

const OF_ACCOUNT = /account|счета|счёта|карты|konto|billing|հաշվի/i
const OF_OPERATION = /transaction|operation|original|foreign|операции|транзакции|գործարքի/i
const BY_CURRENCY = /currency|валют|währung|արժույթ/i

/** `Amount in account currency` beside `Transaction currency`: that currency is not the amount's. */
function isOfOther(amount = '', currency = ''): boolean {
  const isAccounts = OF_ACCOUNT.test(amount) && !OF_OPERATION.test(amount)
  const isOperations = OF_OPERATION.test(amount) && BY_CURRENCY.test(amount)
  return (isAccounts && OF_OPERATION.test(currency)) || (isOperations && OF_ACCOUNT.test(currency))
}

function addRole(roles: Roles, role: Role, at: number | undefined): void {
  if (at !== undefined && roles[role] === undefined && !Object.values(roles).includes(at)) roles[role] = at
}
