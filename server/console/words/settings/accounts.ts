import { family } from '../family.ts'

/** The contracts with providers. */
export const ACCOUNT_SETTING_WORDS = family({
  en: {
    setAccounts: 'Provider accounts',
    setAccount: 'Settings of the account',
    setNothing: 'Fill in at least one new value.',
  },
  ru: {
    setAccounts: 'Договоры с провайдерами',
    setAccount: 'Настройки договора',
    setNothing: 'Заполните хотя бы одно новое значение.',
  },
  hy: {
    setAccounts: 'Պայմանագրեր մատակարարների հետ',
    setAccount: 'Պայմանագրի կարգավորումներ',
    setNothing: 'Լրացրեք գոնե մեկ նոր արժեք։',
  },
})
