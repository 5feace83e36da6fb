import { family } from './family.ts'

/** The kinds of cases, what is recommended, and what became of them. */
export const CASE_WORDS = family({
  en: {
    caseText_undecided: 'Nobody knows whether the buyer has paid.',
    caseText_disputed: 'The buyer wants the money back through the bank.',
    caseText_operation: 'Nobody knows whether the provider has done what it was asked.',
    caseText_receipt: 'The cash register did not print this receipt, or nobody knows whether it did.',
    caseText_warning: 'Something was reported about this payment that cannot be true of it.',
    caseText_refund_limit:
      'A token wanted to return more than it may. The calls were refused, and no money has moved.',
    caseText_difference: 'The statement of the provider and the books do not agree.',
    caseText_callback_paused: 'The shop does not accept events. One is tried every hour.',
    caseText_events_given_up: 'The shop did not accept these events for days. They are not sent any more.',
    caseText_account: 'Payments of this account wait, and new ones may be refused.',
    caseText_approval: 'One person has proposed it. Another one must agree.',
    caseText_restore: 'A backup was restored. Refunds and renewals wait until the providers were asked.',
    became_settled: 'looked into',
    became_closed: 'closed',
    caseDone_decided: 'Decided.',
    caseDone_proposed: 'A second person must agree. It waits among the approvals.',
    caseDone_against: 'Decided as you said. The provider said something else, and the payment shows it.',
    advice_part_was_taken:
      'Only {taken} of {asked} was taken. Return it at the provider, or ask the buyer for the rest. Decide “paid” only if the shop accepts less for the order.',
    advice_money_was_taken:
      'The provider has already reported that it took the money. Most likely it was paid.',
    advice_provider_does_not_answer:
      'The provider does not answer. Wait, and ask it again. Decide only what you have seen in its own records.',
    advice_ask_provider_again:
      'Ask the provider once more. If it still does not know, look into its own records, and decide what they show.',
    advice_look_at_bank: 'Look into the statement of the bank. If the money is there, it was paid.',
    advice_answer_dispute:
      'Answer the dispute at the provider before its time is over. The payment follows by itself.',
    advice_look_in_provider_records:
      "Look for it in the provider's own records. The provider is asked before your decision is stored.",
    advice_print_again: 'Print it again. If it was printed by hand meanwhile, give the number.',
    advice_look_on_roll:
      'Look on the roll of the cash register. Only if it is not there may it be printed again.',
    advice_look_at_payment:
      'Look at the payment. If money came twice, return it there. Then take the warning off the desk.',
    advice_look_at_token:
      'Look at the payment, and ask the shop whether it wanted these refunds. If it did, raise the limit of the token. If not, revoke the token.',
    advice_compare_with_provider: 'Open the payment, and compare it with what the provider shows.',
    advice_ask_for_movement:
      'The books have a movement that the statement does not have. Ask the provider for it.',
    advice_find_owner: 'Look for this money at the provider. Another system may use the same account.',
    advice_mend_receiver:
      "Tell the shop's programmer what the last answer was. When it is mended, send one event again: then all of them follow.",
    advice_send_again: 'When the shop accepts events again, send the events of those days again.',
    advice_test_account: 'Test the account. The test says what is wrong in plain words.',
    advice_ask_second_person: 'Somebody who has not proposed it must grant or refuse it.',
    advice_wait_for_restore: 'It ends by itself when every provider was asked. See the system page.',
  },
  ru: {
    caseText_undecided: 'Никто не знает, заплатил ли покупатель.',
    caseText_disputed: 'Покупатель требует деньги обратно через банк.',
    caseText_operation: 'Никто не знает, выполнил ли провайдер то, о чём его просили.',
    caseText_receipt: 'Касса не напечатала этот чек, или никто не знает, напечатала ли.',
    caseText_warning: 'Об этом платеже сообщили то, чего с ним быть не может.',
    caseText_refund_limit:
      'Токен хотел вернуть больше, чем ему можно. Вызовы отклонены, деньги не двигались.',
    caseText_difference: 'Выписка провайдера и наши книги не сходятся.',
    caseText_callback_paused: 'Магазин не принимает события. Раз в час отправляется одно на пробу.',
    caseText_events_given_up: 'Магазин несколько дней не принимал эти события. Они больше не отправляются.',
    caseText_account: 'Платежи этого счёта ждут, новые могут быть отклонены.',
    caseText_approval: 'Один человек это предложил. Другой должен согласиться.',
    caseText_restore:
      'Восстановлена резервная копия. Возвраты и продления ждут, пока не опрошены провайдеры.',
    became_settled: 'рассмотрено',
    became_closed: 'закрыто',
    caseDone_decided: 'Решено.',
    caseDone_proposed: 'Нужно согласие второго человека. Предложение ждёт среди согласований.',
    caseDone_against: 'Решено, как вы сказали. Провайдер сообщил другое, это видно в платеже.',
    advice_part_was_taken:
      'Получено только {taken} из {asked}. Верните деньги через провайдера или попросите покупателя доплатить. Решайте «оплачен», только если магазин согласен на меньшую сумму.',
    advice_money_was_taken: 'Провайдер уже сообщил, что получил деньги. Скорее всего, платёж оплачен.',
    advice_provider_does_not_answer:
      'Провайдер не отвечает. Подождите и спросите снова. Решайте только то, что видели в его записях.',
    advice_ask_provider_again:
      'Спросите провайдера ещё раз. Если он не знает, посмотрите в его записях и решите, как там.',
    advice_look_at_bank: 'Посмотрите выписку банка. Если деньги там, платёж оплачен.',
    advice_answer_dispute: 'Ответьте на спор у провайдера, пока не вышел срок. Платёж изменится сам.',
    advice_look_in_provider_records:
      'Найдите это в записях провайдера. Перед сохранением решения его спросят.',
    advice_print_again: 'Напечатайте снова. Если чек уже пробили вручную, укажите номер.',
    advice_look_on_roll: 'Посмотрите ленту кассы. Печатать снова можно, только если чека там нет.',
    advice_look_at_payment:
      'Посмотрите платёж. Если деньги пришли дважды, верните их там. Затем снимите предупреждение.',
    advice_look_at_token:
      'Посмотрите платёж и спросите магазин, нужны ли ему эти возвраты. Если да, повысьте предел токена. Если нет, отзовите токен.',
    advice_compare_with_provider: 'Откройте платёж и сравните с тем, что показывает провайдер.',
    advice_ask_for_movement: 'В книгах есть движение, которого нет в выписке. Спросите о нём провайдера.',
    advice_find_owner: 'Найдите эти деньги у провайдера. Возможно, этим счётом пользуется и другая система.',
    advice_mend_receiver:
      'Сообщите программисту магазина последний ответ. Когда исправят, отправьте одно событие снова: остальные пойдут следом.',
    advice_send_again: 'Когда магазин снова принимает события, отправьте события тех дней ещё раз.',
    advice_test_account: 'Проверьте счёт. Проверка простыми словами скажет, что не так.',
    advice_ask_second_person: 'Согласиться или отказать должен тот, кто этого не предлагал.',
    advice_wait_for_restore: 'Закончится само, когда опрошены все провайдеры. Смотрите страницу системы.',
  },
  hy: {
    caseText_undecided: 'Ոչ ոք չգիտի՝ գնորդը վճարե՞լ է։',
    caseText_disputed: 'Գնորդը բանկի միջոցով գումարը հետ է պահանջում։',
    caseText_operation: 'Ոչ ոք չգիտի՝ մատակարարը կատարե՞լ է խնդրանքը։',
    caseText_receipt: 'Դրամարկղը կտրոնը չի տպել, կամ ոչ ոք չգիտի՝ տպե՞լ է։',
    caseText_warning: 'Այս վճարման մասին հաղորդվել է մի բան, որը չի կարող ճիշտ լինել։',
    caseText_refund_limit:
      'Թոքենը ցանկացել է վերադարձնել ավելին, քան կարող է։ Կանչերը մերժվել են, գումար չի շարժվել։',
    caseText_difference: 'Մատակարարի քաղվածքը և մեր գրքերը չեն համընկնում։',
    caseText_callback_paused:
      'Խանութը իրադարձություններ չի ընդունում։ Ժամը մեկ ուղարկվում է մեկը՝ փորձի համար։',
    caseText_events_given_up:
      'Խանութը օրերով չի ընդունել այս իրադարձությունները։ Դրանք այլևս չեն ուղարկվում։',
    caseText_account: 'Այս հաշվի վճարումները սպասում են, նորերը կարող են մերժվել։',
    caseText_approval: 'Մեկը դա առաջարկել է։ Մեկ ուրիշը պետք է համաձայնի։',
    caseText_restore:
      'Վերականգնվել է պահուստային պատճեն։ Վերադարձներն ու երկարաձգումները սպասում են, մինչև մատակարարները հարցվեն։',
    became_settled: 'դիտարկված',
    became_closed: 'փակված',
    caseDone_decided: 'Որոշված է։',
    caseDone_proposed: 'Պետք է երկրորդ մարդու համաձայնությունը։ Սպասում է հաստատումների մեջ։',
    caseDone_against:
      'Որոշված է այնպես, ինչպես ասացիք։ Մատակարարն այլ բան ասաց, և վճարումը դա ցույց է տալիս։',
    advice_part_was_taken:
      'Ստացվել է միայն {taken}, իսկ պահանջվել էր {asked}։ Վերադարձրեք գումարը մատակարարի մոտ կամ գնորդին խնդրեք վճարել մնացածը։ «Վճարվել է» որոշեք միայն, եթե խանութը համաձայն է ավելի քիչ գումարի։',
    advice_money_was_taken:
      'Մատակարարն արդեն հաղորդել է, որ ստացել է գումարը։ Ամենայն հավանականությամբ վճարվել է։',
    advice_provider_does_not_answer:
      'Մատակարարը չի պատասխանում։ Սպասեք և նորից հարցրեք։ Որոշեք միայն այն, ինչ տեսել եք նրա գրառումներում։',
    advice_ask_provider_again:
      'Եվս մեկ անգամ հարցրեք մատակարարին։ Եթե նա դեռ չգիտի, նայեք նրա գրառումներում և որոշեք ըստ դրանց։',
    advice_look_at_bank: 'Նայեք բանկի քաղվածքը։ Եթե գումարն այնտեղ է, վճարվել է։',
    advice_answer_dispute:
      'Վեճին պատասխանեք մատակարարի մոտ, քանի դեռ ժամկետը չի անցել։ Վճարումն ինքը կփոխվի։',
    advice_look_in_provider_records:
      'Գտեք դա մատակարարի գրառումներում։ Որոշումը պահպանելուց առաջ նա կհարցվի։',
    advice_print_again: 'Տպեք նորից։ Եթե արդեն ձեռքով է տպվել, նշեք համարը։',
    advice_look_on_roll: 'Նայեք դրամարկղի ժապավենը։ Նորից տպել կարելի է միայն, եթե կտրոնն այնտեղ չկա։',
    advice_look_at_payment:
      'Նայեք վճարումը։ Եթե գումարը երկու անգամ է եկել, վերադարձրեք այնտեղ։ Հետո հանեք զգուշացումը։',
    advice_look_at_token:
      'Նայեք վճարումը և հարցրեք խանութին, արդյոք այդ վերադարձները պետք են։ Եթե այո, բարձրացրեք թոքենի սահմանը։ Եթե ոչ, չեղարկեք թոքենը։',
    advice_compare_with_provider: 'Բացեք վճարումը և համեմատեք մատակարարի տվյալների հետ։',
    advice_ask_for_movement: 'Գրքերում կա շարժ, որը քաղվածքում չկա։ Հարցրեք մատակարարին։',
    advice_find_owner: 'Գտեք այս գումարը մատակարարի մոտ։ Գուցե այդ հաշիվն օգտագործում է նաև այլ համակարգ։',
    advice_mend_receiver:
      'Խանութի ծրագրավորողին ասեք վերջին պատասխանը։ Երբ ուղղվի, նորից ուղարկեք մեկ իրադարձություն՝ մյուսները կհետևեն։',
    advice_send_again: 'Երբ խանութը նորից ընդունում է իրադարձություններ, այդ օրերինը նորից ուղարկեք։',
    advice_test_account: 'Ստուգեք հաշիվը։ Ստուգումը պարզ բառերով կասի՝ ինչն է սխալ։',
    advice_ask_second_person: 'Համաձայնել կամ մերժել պետք է նա, ով դա չի առաջարկել։',
    advice_wait_for_restore: 'Ինքն իրեն կավարտվի, երբ բոլոր մատակարարները հարցվեն։ Տեսեք համակարգի էջը։',
  },
})
