/** The list of what was done, by whom and from where. */
import { changesIn, listActs } from '../../audit/list.ts'
import { optionalText, past } from '../input.ts'
import { list, ofPayment, ofShop } from '../list.ts'

const LINES = { fallback: 50, max: 10_000 }
const SECONDS_CHARS = '2026-08-02T14:03:07'.length

export const log = list('audit list', {
  since: past({ placeholder: 'T' }),
  who: optionalText({ placeholder: 'NAME' }),
  merchantId: ofShop(),
  paymentId: ofPayment(),
})({
  needs: 'audit list',
  items: 'rows',
  counts: ['row', 'rows'],
  cut: 'newest',
  lines: LINES,
  isRealTime: true,
  load: async (ctx, cut) => ({ found: await listActs(ctx, cut) }),
  columns: {
    number: ({ number }) => number,
    when: ({ at }) => at.slice(0, SECONDS_CHARS),
    who: ({ who }) => who,
    from: ({ from }) => from,
    what: ({ what }) => what,
    about: ({ world, about }) => (world ? `${world} ${about}` : about),
    change: (row) =>
      changesIn(row, '-')
        .map(([name, before, after]) => `${name} ${before} > ${after}`)
        .join(', '),
  },
  present: (row) => row,
  helpExamples: ['', '--since 7d --who "Ani Petrosyan"', '--merchant mer_01...', '--payment pay_01...'],
})
