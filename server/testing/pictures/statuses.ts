/**
 * The picture of the payment statuses. The table in payments/status.ts says which changes exist and who may cause them. This file
 * only says where each box and each line is. A change that no line shows, or a line that shows no change, is an error.
 */
import { PAYMENT_STATUSES, type PaymentStatus } from '../../contract/payment.ts'
import { canMove } from '../../payments/status.ts'
import { CAUSES, type Cause } from '../../storage/payments/payment-changes.ts'
import { box, type Drawn, document, frame, legend, line, type Place } from './svg.ts'

const BOXES: Record<PaymentStatus, Place & { about: string }> = {
  created: { x: 176, y: 72, width: 150, height: 52, about: 'being opened' },
  pending_redirect: { x: 366, y: 72, width: 160, height: 52, about: 'the checkout is known' },
  pending_payment: { x: 566, y: 72, width: 160, height: 52, about: 'at the provider' },
  failed: { x: 70, y: 228, width: 152, height: 46, about: 'it was declined' },
  cancelled: { x: 70, y: 286, width: 152, height: 46, about: 'the buyer gave up' },
  expired: { x: 70, y: 344, width: 152, height: 46, about: 'the time ran out' },
  authorized: { x: 366, y: 240, width: 160, height: 60, about: 'the money is held' },
  status_unknown: { x: 660, y: 240, width: 160, height: 60, about: 'the answer is unclear' },
  reversed: { x: 196, y: 500, width: 644, height: 48, about: 'the hold or the payment was undone' },
  paid: { x: 60, y: 614, width: 200, height: 60, about: 'the money was taken' },
  partially_refunded: { x: 366, y: 614, width: 180, height: 60, about: 'a part went back' },
  refunded: { x: 660, y: 614, width: 180, height: 60, about: 'all of it went back' },
  disputed: {
    x: 60,
    y: 744,
    width: 780,
    height: 48,
    about: 'the buyer disputes the payment, or a part of it',
  },
}

const WORDS: Record<Cause, string> = {
  request: "the merchant's request",
  provider: 'the provider',
  operation: 'an operation',
  expiry: 'the end of its time',
  operator: 'an operator',
}

const OPEN: PaymentStatus[] = ['created', 'pending_redirect', 'pending_payment']
const ENDED: PaymentStatus[] = ['failed', 'cancelled', 'expired']
const TAKEN: PaymentStatus[] = ['paid', 'partially_refunded', 'refunded', 'reversed', 'disputed']

const FRAMES: Parameters<typeof frame>[0][] = [
  { x: 156, y: 36, width: 590, height: 112, title: 'The buyer has not paid yet' },
  { x: 50, y: 196, width: 192, height: 212, title: 'Ended without money' },
  { x: 40, y: 464, width: 860, height: 350, title: 'Money was taken, or held and given up', titleX: 516 },
]

type Line = [from: PaymentStatus | PaymentStatus[], to: PaymentStatus | PaymentStatus[], path: string]

/** Each line goes from a box or a frame to another. `^` in a path is a small bridge over a vertical line, 12 wide. */
const LINES: Line[] = [
  ['created', 'pending_redirect', 'M326 98 H366'],
  ['pending_redirect', 'pending_payment', 'M526 98 H566'],
  ['created', 'pending_payment', 'M250 124 V136 H640 V124'],
  [OPEN, ENDED, 'M200 148 V196'],
  [OPEN, 'authorized', 'M446 148 V240'],
  [OPEN, 'status_unknown', 'M680 148 V240'],
  ['status_unknown', 'pending_payment', 'M710 240 V124'],
  [OPEN, 'paid', 'M156 92 H20 V644 H60'],
  ['authorized', 'failed', 'M366 252 H222'],
  [ENDED, 'authorized', 'M242 284 H366'],
  ['authorized', 'status_unknown', 'M526 258 H660'],
  ['status_unknown', 'authorized', 'M660 282 H526'],
  ['status_unknown', ENDED, 'M690 300 V372 H486^H412^H242'],
  ['status_unknown', TAKEN, 'M740 300 V464'],
  ['status_unknown', 'status_unknown', 'M820 256 H846 V284 H820'],
  [ENDED, 'paid', 'M110 408 V614'],
  ['authorized', 'paid', 'M406 300 V432 H160 V614'],
  ['authorized', 'reversed', 'M480 300 V500'],
  ['paid', 'reversed', 'M216 614 V548'],
  ['reversed', 'paid', 'M240 548 V614'],
  ['partially_refunded', 'reversed', 'M456 614 V548'],
  ['reversed', 'refunded', 'M780 548 V614'],
  ['paid', 'refunded', 'M260 622 H284 V570 H450^H714 V614'],
  ['refunded', 'paid', 'M694 614 V588 H462^H302 V634 H260'],
  ['paid', 'partially_refunded', 'M260 648 H366'],
  ['partially_refunded', 'paid', 'M366 664 H260'],
  ['partially_refunded', 'refunded', 'M546 636 H660'],
  ['refunded', 'partially_refunded', 'M660 656 H546'],
  ['paid', 'disputed', 'M140 674 V744'],
  ['disputed', 'paid', 'M180 744 V674'],
  ['partially_refunded', 'disputed', 'M436 674 V744'],
  ['disputed', 'partially_refunded', 'M476 744 V674'],
  ['refunded', 'disputed', 'M730 674 V744'],
  ['disputed', 'refunded', 'M770 744 V674'],
  ['reversed', 'disputed', 'M840 532 H862 V760 H840'],
  ['disputed', 'reversed', 'M840 776 H880 V516 H840'],
  ['partially_refunded', 'partially_refunded', 'M386 674 V700 H412 V674'],
  ['disputed', 'disputed', 'M90 792 V806 H120 V792'],
]

/** Returns who may cause this change, in the words of the status table. Empty if the table does not have it. */
function causesOf(from: PaymentStatus, to: PaymentStatus): string {
  return CAUSES.filter((cause) => canMove(from, to, cause)).join(', ')
}

function drawLines(): { drawn: Drawn[]; kinds: string[] } {
  const shown = new Set<string>()
  const drawn = LINES.map(([from, to, path]) => {
    const changes = [from].flat().flatMap((one) => [to].flat().map((other) => [one, other] as const))
    const causes = new Set(changes.map(([one, other]) => causesOf(one, other)))
    const names = `${[from].flat().join(', ')} to ${[to].flat().join(', ')}`
    if (causes.size !== 1 || causes.has(''))
      throw new Error(`The line from ${names} must show changes that exist and have the same causes.`)
    for (const change of changes) shown.add(change.join(' to '))
    return { path, kind: [...causes][0] as string }
  })
  const missing = PAYMENT_STATUSES.flatMap((from) =>
    PAYMENT_STATUSES.filter((to) => causesOf(from, to)).map((to) => `${from} to ${to}`),
  ).filter((change) => !shown.has(change))
  if (missing.length) throw new Error(`LINES in pictures/statuses.ts has no line for: ${missing.join('; ')}`)
  const kinds = [...new Set(drawn.map(({ kind }) => kind))].sort((one, other) => other.length - one.length)
  return { drawn, kinds }
}

/** Returns the picture as an SVG document. */
export function drawStatuses(): string {
  const { drawn, kinds } = drawLines()
  const boxes = PAYMENT_STATUSES.map((status) => {
    const { about, ...place } = BOXES[status]
    return box(place, status, about)
  })
  const explained = kinds.map((kind) => {
    const causes = CAUSES.filter((cause) => kind.split(', ').includes(cause)).map((cause) => WORDS[cause])
    const only = causes.length < CAUSES.length ? 'Only caused by' : 'Caused by'
    return `${only} ${causes.slice(0, -1).join(', ')}${causes.length > 1 ? ' or ' : ''}${causes.at(-1)}`
  })
  return document({
    width: 920,
    height: 930,
    title: 'The statuses of a payment',
    about: `The changes of status that exist, and who may cause them. ${PAYMENT_STATUSES.map(
      (from) => `${from}: to ${PAYMENT_STATUSES.filter((to) => causesOf(from, to)).join(', ')}.`,
    ).join(' ')}`,
    parts: [
      ...FRAMES.map(frame),
      ...drawn.map(({ path, kind }) => line(path, kinds.indexOf(kind))),
      ...boxes,
      legend({ x: 60, y: 842 }, explained, 'A line at a frame stands for every status in it.'),
    ],
  })
}
