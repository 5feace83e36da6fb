import { family } from '../family.ts'

/** What stands in a row of a payment, and on its page. */
export const PAYMENT_WORDS = family({
  en: {
    latestPayments: 'Last payments',
    allPayments: 'All payments',
    sumLeft: '{sum} left',
    bought: 'What was bought',
    boughtWhat: 'What',
    leftOfIt: 'Left',
    numbers: 'Numbers',
  },
  ru: {
    latestPayments: 'Последние платежи',
    allPayments: 'Все платежи',
    sumLeft: 'осталось {sum}',
    bought: 'Что куплено',
    boughtWhat: 'Что',
    leftOfIt: 'Осталось',
    numbers: 'Номера',
  },
  hy: {
    latestPayments: 'Վերջին վճարումները',
    allPayments: 'Բոլոր վճարումները',
    sumLeft: 'մնացորդը՝ {sum}',
    bought: 'Ինչ է գնվել',
    boughtWhat: 'Ինչ',
    leftOfIt: 'Մնացորդ',
    numbers: 'Համարներ',
  },
})
