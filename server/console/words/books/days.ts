import { family } from '../family.ts'

/** Which days a list or a number is about. */
export const DAYS_WORDS = family({
  en: {
    todayMoney: 'Money today',
    today_taken: 'taken',
    today_givenBack: 'given back',
    today_lost: 'lost in disputes',
    today_left: 'left',
    todayBeside: 'Yesterday {yesterday}. Last {weekday} {week}.',
    trendTitle: 'Left after refunds, last {days, plural, one {# day} other {# days}}',
    trendTable: 'As a table',
    todayCreated: 'Payments created today',
    timeOf: 'The days are those on which',
    timeOf_created: 'the payment was created',
    timeOf_moved: 'money moved',
  },
  ru: {
    todayMoney: 'Деньги за сегодня',
    today_taken: 'получено',
    today_givenBack: 'возвращено',
    today_lost: 'потеряно в спорах',
    today_left: 'осталось',
    todayBeside: 'Вчера {yesterday}. Неделю назад, {weekday}, {week}.',
    trendTitle:
      'Осталось после возвратов за {days, plural, one {# день} few {# дня} many {# дней} other {# дня}}',
    trendTable: 'Таблицей',
    todayCreated: 'Платежи, созданные сегодня',
    timeOf: 'Дни — это те, когда',
    timeOf_created: 'платёж создан',
    timeOf_moved: 'двигались деньги',
  },
  hy: {
    todayMoney: 'Այսօրվա գումարները',
    today_taken: 'ստացված',
    today_givenBack: 'վերադարձված',
    today_lost: 'վեճերում կորցրած',
    today_left: 'մնացորդ',
    todayBeside: 'Երեկ՝ {yesterday}։ Մեկ շաբաթ առաջ, {weekday}՝ {week}։',
    trendTitle: 'Մնացորդը վերադարձներից հետո, վերջին {days, plural, one {# օր} other {# օր}}',
    trendTable: 'Աղյուսակով',
    todayCreated: 'Այսօր ստեղծված վճարումներ',
    timeOf: 'Օրերն այն օրերն են, երբ',
    timeOf_created: 'ստեղծվել է վճարումը',
    timeOf_moved: 'շարժվել է գումար',
  },
})
