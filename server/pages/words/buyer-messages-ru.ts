import type { BuyerKey } from './buyer-messages-en.ts'

export const BUYER_RU: Record<BuyerKey, string> = {
  openTransferText: 'Дальше сказано, как перевести сумму магазину. На этой странице ничего не списывается.',
  openChoiceText: 'Данные карты вводятся только на странице банка.',
  transferTitle: 'Оплатите банковским переводом',
  transferText:
    'Переведите сумму на этот счёт и укажите номер в назначении платежа. Магазин подтвердит платёж, когда деньги поступят.',
  transferRecipient: 'Получатель',
  transferBank: 'Банк',
  transferAccount: 'Номер счёта',
  transferBic: 'Код банка (BIC)',
  transferAmount: 'Сумма',
  transferReference: 'Назначение платежа',
  transferQrTitle: 'QR-код этого перевода',
  transferQrText: 'Приложение вашего банка может прочитать этот код и заполнить перевод.',
  keptUntil: 'Заказ отложен до',
  transferOverTitle: 'Срок, на который отложен заказ, прошёл',
  transferOverText:
    'Если вы уже отправили деньги, ничего делать не нужно: магазин подтвердит платёж, когда они поступят. Если нет\u00a0— сначала свяжитесь с магазином.',
  mailTransferTitle: '{name}: как оплатить {amount}',
  mailRemindTitle: '{name}: заказ отложен для вас до {moment}',
  mailRemindText:
    'Деньги ещё не поступили. Если вы их уже отправили, ничего делать не нужно. Если нет\u00a0— реквизиты перевода ниже.',
  askName: 'Ваше имя',
  askPhone: 'Телефон',
  askAddress: 'Адрес',
  askNote: 'Примечание для магазина',
  optional: 'необязательно',
  fieldsRefused: 'Проверьте, пожалуйста, эти поля. Пока ничего не начато.',
  fieldMissing: 'заполните, пожалуйста',
  fieldLong: 'не более {max} символов',
  fieldPhone: 'укажите номер телефона, например +374\u00a099\u00a0123456',
  fieldCard: 'не пишите здесь номер карты: его позже спросит банк',
}
