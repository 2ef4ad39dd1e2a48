CREATE TABLE `hooks` (
	`account_code` text NOT NULL,
	`id` integer NOT NULL,
	`case_type_code` text NOT NULL,
	`event` text NOT NULL,
	`position` integer NOT NULL,
	`function_id` integer NOT NULL,
	`scopes` text NOT NULL,
	`enabled` integer NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	PRIMARY KEY(`account_code`, `id`),
	FOREIGN KEY (`account_code`,`function_id`) REFERENCES `functions`(`account_code`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`account_code`,`case_type_code`) REFERENCES `case_types`(`account_code`,`code`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `hooks_by_event` ON `hooks` (`account_code`,`case_type_code`,`event`,`position`,`id`);--> statement-breakpoint
CREATE INDEX `hooks_by_function` ON `hooks` (`account_code`,`function_id`,`id`);--> statement-breakpoint
CREATE TABLE `case_tasks` (
	`account_code` text NOT NULL,
	`id` integer NOT NULL,
	`case_type_code` text NOT NULL,
	`name` text NOT NULL,
	`function_id` integer NOT NULL,
	`scopes` text NOT NULL,
	`enabled` integer NOT NULL,
	`created_at` integer DEFAULT (cast(unixepoch('subsec') * 1000 as integer)) NOT NULL,
	PRIMARY KEY(`account_code`, `id`),
	FOREIGN KEY (`account_code`,`function_id`) REFERENCES `functions`(`account_code`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`account_code`,`case_type_code`) REFERENCES `case_types`(`account_code`,`code`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `case_tasks_by_function` ON `case_tasks` (`account_code`,`function_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `case_tasks_by_name` ON `case_tasks` (`account_code`,`case_type_code`,`name`);