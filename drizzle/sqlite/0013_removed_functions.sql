CREATE TABLE `removed_functions` (
	`account_code` text NOT NULL,
	`id` integer NOT NULL,
	`name` text NOT NULL,
	`case_type_code` text NOT NULL,
	`live_version_id` integer NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	PRIMARY KEY(`account_code`, `id`),
	FOREIGN KEY (`account_code`) REFERENCES `accounts`(`account_code`) ON UPDATE no action ON DELETE no action
);
