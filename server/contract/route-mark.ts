/** The drawn marks of ways to pay: a card, a wallet app, a bank transfer, cash, a QR code. Buyers see one beside each choice. */
export const ROUTE_MARKS = ['card', 'wallet', 'bank', 'cash', 'qr'] as const
export type RouteMark = (typeof ROUTE_MARKS)[number]
