INSERT INTO `counters` (`account_code`, `name`, `value`)
SELECT `account_code`, 'membership', max(`id`) FROM (
	SELECT `account_code`, `id` FROM `team_memberships`
	UNION ALL
	SELECT `account_code`, `membership_id` FROM `membership_events`
) GROUP BY `account_code`;--> statement-breakpoint
INSERT INTO `counters` (`account_code`, `name`, `value`)
SELECT `account_code`, 'created user', max(`id`) FROM `users`
WHERE `id` BETWEEN 4503599627370496 AND (SELECT `value` FROM `counters` WHERE `account_code` = '' AND `name` = 'created user') GROUP BY `account_code`;--> statement-breakpoint
DELETE FROM `counters` WHERE `account_code` = '' AND `name` IN ('membership', 'created user');